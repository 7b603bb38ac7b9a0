//! Makes plain lines of pieces of text: marks of Markdown away, white space collapsed, cut at words.

use super::phrases::Openings;
use super::sentences::{Form, Sentence};
use super::vocabulary::{ANNOUNCEMENTS, CIVILITIES, COURTESIES, NARRATION, OFFERS};

/// Marks before the text proper that say nothing: ticks, bullets, pictures.
fn is_ornament(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '*' | '_' | '-' | '–' | '—' | '•' | '#' | '>' | ':' | ',')
        || ('\u{2190}'..='\u{2BFF}').contains(&c)
        || ('\u{1F000}'..='\u{1FAFF}').contains(&c)
        || matches!(c, '\u{FE0F}' | '\u{200D}')
}

/// Longest text worth making plain, in bytes: everything shown is far shorter.
const PLAIN_BYTES: usize = 2000;

/// Drops emphasis, link targets, ornaments at the beginning and image marks; collapses white space.
///
/// Back ticks stay: they say what is code. At most the first [`PLAIN_BYTES`] are looked at.
pub(super) fn plain(text: &str) -> String {
    let mut rest = head(text, PLAIN_BYTES).trim_start_matches(is_ornament);
    let mut out = String::with_capacity(rest.len());
    let (mut space, mut code) = (false, false);
    while let Some(c) = rest.chars().next() {
        code ^= c == '`';
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '*' && !code && is_emphasis(&out, space, after) {
            rest = after.trim_start_matches('*');
            continue;
        }
        if c == '['
            && !code
            && let Some((label, after)) = link(rest)
        {
            push(&mut out, &mut space, label);
            rest = after;
            continue;
        }
        rest = after;
        if c.is_whitespace() || c.is_control() {
            space = true;
        } else {
            if space && !out.is_empty() {
                out.push(' ');
            }
            space = false;
            out.push(c);
        }
    }
    out
}

/// Whether an asterisk marks emphasis and is no sign of multiplication or of a pattern of files.
fn is_emphasis(before: &str, space: bool, after: &str) -> bool {
    let within = !space && before.ends_with(char::is_alphanumeric);
    let opens = !within && after.starts_with(|c: char| c.is_alphanumeric() || c == '`');
    let closes =
        !space && !after.starts_with(char::is_alphanumeric) && !before.ends_with(['/', '_', '-']);
    after.starts_with('*') || opens || (closes && !before.is_empty())
}

fn push(out: &mut String, space: &mut bool, label: &str) {
    if !label.is_empty() {
        if *space && !out.is_empty() {
            out.push(' ');
        }
        *space = false;
        out.push_str(label);
    }
}

/// The label of a link or image mark at the beginning of a text, and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    let end = head(text, 200).find(']')?;
    let label = text.get(1..end)?;
    let after = text.get(end + 1..)?;
    if label.starts_with("image") || label.starts_with("Image ") {
        return Some(("", after));
    }
    let target = after.strip_prefix('(')?;
    let end = head(target, 500).find(')')?;
    Some((label, target.get(end + 1..)?))
}

/// The first `bytes` of a text, or fewer, to a boundary of characters.
pub(super) fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Cuts a text to `limit` characters, at the end of a word where there is one, and marks the cut.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(limit.saturating_sub(1))
        .map_or(text.len(), |(at, _)| at);
    let kept = text.get(..end).unwrap_or_default();
    let word = kept
        .rfind(char::is_whitespace)
        .filter(|at| *at * 2 > kept.len())
        .and_then(|at| kept.get(..at))
        .unwrap_or(kept);
    let word = word.trim_end_matches(|c: char| c.is_whitespace() || ",;:-–—([{\"'`".contains(c));
    format!("{word}…")
}

/// Makes a full sentence of a piece: first letter upper case, a full stop at its end.
pub(super) fn full_sentence(text: &str) -> String {
    let mut out = capitalised(text.trim_end_matches([':', '：', ',', ';', ' ']));
    if !out.ends_with(['.', '!', '?', '…', '。', '！', '？', '؟', '।', '"', '”']) {
        let dense = out.chars().next_back().is_some_and(is_dense);
        out.push(if dense { '。' } else { '.' });
    }
    out
}

/// Upper-cases the first letter, if the first word is a common word and not a name of code.
pub(super) fn capitalised(text: &str) -> String {
    let word = text
        .split(|c: char| c.is_whitespace() || ",;".contains(c))
        .next()
        .unwrap_or_default();
    let common = !word.is_empty()
        && word
            .chars()
            .all(|c| (c.is_alphabetic() && !c.is_uppercase()) || matches!(c, '\'' | '’' | '-'));
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if common => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Number of words; scripts without spaces count two characters as a word.
pub(super) fn words(text: &str) -> usize {
    words_to(text, usize::MAX)
}

/// Number of words, counted no further than to `limit`.
pub(super) fn words_to(text: &str, limit: usize) -> usize {
    let (mut spaced, mut dense, mut inside) = (0, 0, false);
    for c in text.chars() {
        if is_dense(c) {
            dense += 1;
            inside = false;
        } else if c.is_alphanumeric() {
            spaced += usize::from(!inside);
            inside = true;
        } else if c.is_whitespace() {
            inside = false;
        }
        if spaced + dense / 2 >= limit {
            return limit;
        }
    }
    spaced + dense / 2
}

/// Whether a character belongs to a script written without spaces.
fn is_dense(c: char) -> bool {
    c >= '\u{0E00}'
        && matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{2FFFF}')
}

/// Takes phrases off the beginning of a text, again and again, with what joins them to the rest.
pub(super) fn without_beginnings<'a>(mut text: &'a str, phrases: &Openings) -> &'a str {
    while let Some(length) = phrases.opening(text) {
        text = text
            .get(length..)
            .unwrap_or_default()
            .trim_start_matches(|c: char| {
                c.is_whitespace() || ",.!:;-–—…¿¡，。！：；、".contains(c)
            });
    }
    text
}

/// Takes courtesies off the beginning: words that stand alone, a mark after them.
fn without_asides<'a>(mut text: &'a str, phrases: &Openings) -> &'a str {
    const AFTER: &[char] = &[
        ',', '.', '!', ':', ';', '-', '–', '—', '…', '，', '。', '！', '、',
    ];
    while let Some(length) = phrases.opening(text) {
        let rest = text.get(length..).unwrap_or_default().trim_start();
        if !rest.is_empty() && !rest.starts_with(AFTER) {
            break;
        }
        text = rest.trim_start_matches(|c: char| c.is_whitespace() || AFTER.contains(&c));
    }
    text
}

/// How much an agent's sentence says about the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Substance {
    /// It states something.
    Statement,
    /// It announces a list that follows.
    Announcement,
    /// It tells the next step, offers help, or is a courtesy.
    Filler,
}

/// Judges an agent's sentence.
pub(super) fn substance(sentence: &Sentence<'_>) -> Substance {
    let text = sentence.text.trim_start_matches(is_ornament);
    let bare = without_asides(text, &COURTESIES);
    let bare = bare.trim_start_matches(is_ornament);
    let narrated = NARRATION.open(bare) || tells_a_step(bare);
    if words_to(bare, 2) < 2 || narrated || OFFERS.open(bare) || sentence.asks() {
        Substance::Filler
    } else if sentence.introduces() {
        Substance::Announcement
    } else if ANNOUNCEMENTS.open(bare) && words_to(bare, 9) < 9 {
        Substance::Filler
    } else {
        Substance::Statement
    }
}

/// Whether a line names the mail that is quoted below it: `On Thu, 15 Oct 2026 at 08:00, Ana`.
fn is_attribution(text: &str) -> bool {
    let opens = ["On ", "Am ", "El ", "Le ", "Em ", "Il "]
        .iter()
        .any(|start| text.starts_with(start));
    let year = |word: &str| {
        let word = word.trim_end_matches([',', '.']);
        word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    opens && text.contains(':') && text.split_whitespace().any(year)
}

/// Judges a sentence that somebody wrote in a thread or on a task.
///
/// What they will do and what they ask is what such a text is about.
pub(super) fn written(sentence: &Sentence<'_>) -> Substance {
    let text = sentence.text.trim_start_matches(is_ornament);
    if sentence.introduces() {
        Substance::Announcement
    } else if CIVILITIES.open(text) && words_to(text, 9) < 9 {
        Substance::Filler
    } else {
        Substance::Statement
    }
}

/// Whether a line of a mail greets, signs or closes: a few words without an end, or a civility.
pub(super) fn is_civil(sentence: &Sentence<'_>) -> bool {
    const ENDS: &[char] = &['.', '!', '?', ':', '。', '！', '？', '：', '؟'];
    let text = sentence.text.trim();
    let few = sentence.form == Form::Prose && words_to(text, 5) < 5;
    let open = !text.ends_with(ENDS);
    (open && (few || is_attribution(text))) || (CIVILITIES.open(text) && words_to(text, 9) < 9)
}

/// Whether an agent says what it is doing right now: `I'm reading the writer`.
fn tells_a_step(text: &str) -> bool {
    let rest = ["I'm ", "I’m ", "I am "]
        .iter()
        .find_map(|start| text.strip_prefix(start));
    let next = |rest: &str| {
        let mut words = rest
            .split(' ')
            .filter(|word| !matches!(*word, "now" | "also" | "still"));
        words.next().is_some_and(|word| word.ends_with("ing"))
    };
    rest.is_some_and(next)
}

/// Takes courtesies off the beginning of an agent's sentence, unless nothing else is left.
pub(super) fn without_courtesies(text: &str) -> &str {
    let bare = without_asides(text, &COURTESIES);
    if words_to(bare, 2) < 2 { text } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarizer::extractive::sentences;

    #[test]
    fn marks_of_markdown_go_and_code_stays() {
        assert_eq!(
            plain(
                "✅ **Fixed**: the *old* [writer](src/w.rs) of\n `a**b`, 2 * 3, src/*.rs and __init__.py [Image #1]"
            ),
            "Fixed: the old writer of `a**b`, 2 * 3, src/*.rs and __init__.py"
        );
    }

    #[test]
    fn a_cut_keeps_whole_words() {
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(cut("one two", 9), "one two");
        assert_eq!(cut("一二三四五", 3), "一二…");
    }

    #[test]
    fn announcements_and_courtesies_are_no_statements() {
        let judged = |text| substance(sentences::of(text).first().unwrap());
        assert_eq!(judged("Let me check the writer."), Substance::Filler);
        assert_eq!(judged("Perfect!"), Substance::Filler);
        assert_eq!(
            judged("I’m pulling the references instead of guessing them."),
            Substance::Filler
        );
        assert_eq!(judged("Would you like me to push it?"), Substance::Filler);
        assert_eq!(judged("I've implemented:"), Substance::Announcement);
        assert_eq!(judged("Here's the summary of it."), Substance::Filler);
        assert_eq!(judged("Done, the import works now."), Substance::Statement);
        assert_eq!(
            without_courtesies("Done. The import works."),
            "The import works."
        );
    }

    #[test]
    fn only_common_words_are_capitalised() {
        assert_eq!(capitalised("fix it"), "Fix it");
        assert_eq!(capitalised("écris"), "Écris");
        assert_eq!(capitalised("fix_it now"), "fix_it now");
        assert_eq!(capitalised("iPhone"), "iPhone");
    }
}
