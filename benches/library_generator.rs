//! Invented libraries of any size: items of about 1.2 KB whose words are as unevenly common as
//! those of real text, one in twenty with Chinese or accented ones. The same seed gives the same
//! library.

use std::fmt::Write;

/// Distinct words.
const VOCABULARY: usize = 30_000;
/// Characters of an item's text, roughly.
const ITEM_CHARS: usize = 1200;

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

fn text(numbers: &mut Numbers, chars: usize, foreign: bool) -> String {
    let mut out = String::new();
    while out.len() < chars {
        if foreign && numbers.below(3) == 0 {
            let others = [
                "発行済み請求書",
                "東京都の設定",
                "décision",
                "Übertragung",
                "facturación",
            ];
            out.push_str(others[numbers.below(others.len())]);
        } else {
            out.push_str(&word(numbers.rank()));
        }
        out.push(' ');
    }
    out.trim_end().to_owned()
}

/// Items as JSON Lines, in four sources.
pub(crate) fn lines(items: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut out = String::new();
    for at in 0..items {
        let foreign = at % 20 == 0;
        let mut text = |chars| text(&mut numbers, chars, foreign);
        let (title, summary) = (text(60), text(ITEM_CHARS / 2));
        let questions = [text(80), text(80)];
        let atoms = [text(100), text(100), text(100)];
        // Two a day, from 1990 on.
        let seconds = 631_152_000 + 43_200 * at as u64;
        let instant = jezero::item::Instant::from_unix(seconds.cast_signed());
        let record = serde_json::json!({
            "source": format!("agent-{}", at % 4),
            "external_id": format!("session-{at}#0"),
            "occurred_at": instant.map(|instant| instant.to_string()),
            "title": title, "summary": summary, "questions": questions,
            "atoms": atoms.map(|text| serde_json::json!({"kind": "fact", "text": text})),
            "project": word(at % 50),
        });
        writeln!(out, "{record}").unwrap_or_default();
    }
    out
}
