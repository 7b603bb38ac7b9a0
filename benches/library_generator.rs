//! Invented libraries of any size: items of about 1.2 KB whose words are as unevenly common as
//! those of real text. A fifth of the words are those of the item's project; one in fifty is a
//! path, a name of code or a number that stands hardly anywhere else; one item in twenty has
//! Chinese or accented words. The same seed gives the same library.

use std::fmt::Write;

/// Distinct words.
const VOCABULARY: usize = 40_000;
/// Projects.
const PROJECTS: usize = 400;
/// Words that are the business of a project.
const TOPIC: usize = 300;
/// Characters of a summary, roughly: with the other fields an item has 1,240.
const SUMMARY_CHARS: usize = 700;

/// A small generator of numbers (splitmix64), so that benches need no crate for it.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap_or(0)
    }

    /// A rank from 0, each about half as likely as one half as great.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a draw needs no exactness"
    )]
    fn rank(&mut self) -> usize {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (((VOCABULARY as f64).ln() * uniform).exp() as usize).saturating_sub(1)
    }
}

/// The word of a rank: two to four syllables that say nothing.
pub(crate) fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 40] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
        "va", "we", "xi", "yo", "zu", "ar", "en", "is", "ot", "um", "al", "er", "in", "or", "us",
        "tra", "ple", "ski", "flo", "gru", "sta", "bre", "chi", "pro", "clu",
    ];
    // Scattered, so that common words are not neighbours in spelling.
    let mut left = rank.wrapping_mul(2_654_435_761) % 2_560_000 + 1600;
    let mut word = String::new();
    while left > 0 {
        word.push_str(SYLLABLES[left % 40]);
        left /= 40;
    }
    word
}

/// A word as it stands in a text of a project.
fn token(numbers: &mut Numbers, project: usize, foreign: bool) -> String {
    let drawn = numbers.below(100);
    if foreign && drawn < 33 {
        const OTHERS: [&str; 6] = [
            "発行済み請求書",
            "東京都の設定",
            "수정",
            "décision",
            "Übertragung",
            "facturación",
        ];
        return OTHERS[numbers.below(OTHERS.len())].to_owned();
    }
    match drawn {
        0..2 => rare(numbers),
        2..22 => {
            let topic = numbers.below(TOPIC);
            word(1_000 + (project * 7_919 + topic * topic * 31) % (VOCABULARY - 1_000))
        }
        _ => word(numbers.rank()),
    }
}

/// What stands in few texts.
fn rare(numbers: &mut Numbers) -> String {
    let (a, b) = (word(numbers.rank()), word(numbers.rank()));
    let number = numbers.next();
    match number % 5 {
        0 => format!("{a}_{b}_{}", number % 1000),
        1 => format!("{a}::{b}()"),
        2 => format!("src/{a}/{b}.rs:{}", number % 900),
        3 => format!("{:08x}", number >> 32),
        _ => format!("--{a}-{b}"),
    }
}

fn text(numbers: &mut Numbers, chars: usize, project: usize, foreign: bool) -> String {
    let mut out = String::new();
    while out.len() < chars {
        out.push_str(&token(numbers, project, foreign));
        out.push_str(match numbers.below(12) {
            0 => ", ",
            1 => ". ",
            _ => " ",
        });
    }
    out.trim_end().to_owned()
}

/// An invented item.
pub(crate) struct Generated {
    pub(crate) source: String,
    pub(crate) external_id: String,
    pub(crate) seconds: i64,
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) questions: [String; 2],
    pub(crate) atoms: [String; 3],
    pub(crate) project: String,
}

/// The item of a number; with another seed it has other words.
pub(crate) fn item(seed: u64, at: usize) -> Generated {
    let mut numbers = Numbers::new(seed.wrapping_mul(0x5851_F42D_4C95_7F2D) ^ at as u64);
    // Skips the first numbers, which are alike for neighbours.
    numbers.next();
    let project = numbers.below(PROJECTS);
    let mut text = |chars| text(&mut numbers, chars, project, at.is_multiple_of(20));
    Generated {
        source: format!("agent-{}", at % 4),
        external_id: format!("session-{at}#0"),
        // Two a day, from 1990 on, over and over.
        seconds: 631_152_000 + 43_200 * (at % 26_000) as i64,
        title: text(60),
        summary: text(SUMMARY_CHARS),
        questions: [text(80), text(80)],
        atoms: [text(100), text(100), text(100)],
        project: word(project),
    }
}

/// A session's text of about so many characters.
pub(crate) fn original(seed: u64, at: usize, chars: usize) -> String {
    let mut numbers = Numbers::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ at as u64);
    numbers.next();
    let project = numbers.below(PROJECTS);
    text(&mut numbers, chars, project, at.is_multiple_of(20))
}

/// Items as JSON Lines, in four sources.
pub(crate) fn lines(items: usize, seed: u64) -> String {
    let mut out = String::new();
    for at in 0..items {
        let item = item(seed, at);
        let instant = jezero::item::Instant::from_unix(item.seconds);
        let record = serde_json::json!({
            "source": item.source,
            "external_id": item.external_id,
            "occurred_at": instant.map(|instant| instant.to_string()),
            "title": item.title, "summary": item.summary, "questions": item.questions,
            "atoms": item.atoms.map(|text| serde_json::json!({"kind": "fact", "text": text})),
            "project": item.project,
        });
        writeln!(out, "{record}").unwrap_or_default();
    }
    out
}
