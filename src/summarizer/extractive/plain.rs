//! Makes plain lines of pieces of text: marks of Markdown away, white space collapsed, cut at words.

use super::sentences::Sentence;

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
        out.push('.');
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
    }
    spaced + dense / 2
}

/// Whether a character belongs to a script written without spaces.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{2FFFF}')
}

/// Whether a text begins with a phrase, whatever the case of its ASCII letters, at a word's end.
pub(super) fn begins(text: &str, phrase: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .get(..phrase.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(phrase.as_bytes()))
        && (!phrase.ends_with(|c: char| c.is_ascii_alphanumeric())
            || !bytes
                .get(phrase.len())
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
}

/// Whether a text begins with one of several phrases.
pub(super) fn begins_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| begins(text, phrase))
}

/// Takes phrases off the beginning of a text, again and again, with what joins them to the rest.
pub(super) fn without_beginnings<'a>(mut text: &'a str, phrases: &[&str]) -> &'a str {
    while let Some(phrase) = phrases.iter().find(|phrase| begins(text, phrase)) {
        text = text
            .get(phrase.len()..)
            .unwrap_or_default()
            .trim_start_matches(|c: char| c.is_whitespace() || ",.!:;-–—…".contains(c));
    }
    text
}

/// Takes courtesies off the beginning: words that stand alone, a mark after them.
fn without_asides<'a>(mut text: &'a str, phrases: &[&str]) -> &'a str {
    const AFTER: &[char] = &[
        ',', '.', '!', ':', ';', '-', '–', '—', '…', '，', '。', '！', '、',
    ];
    while let Some(phrase) = phrases.iter().find(|phrase| begins(text, phrase)) {
        let rest = text.get(phrase.len()..).unwrap_or_default().trim_start();
        if !rest.is_empty() && !rest.starts_with(AFTER) {
            break;
        }
        text = rest.trim_start_matches(|c: char| c.is_whitespace() || AFTER.contains(&c));
    }
    text
}

/// Announcements of the next step, which tell nothing once the step is done.
const NARRATION: &[&str] = &[
    "let me",
    "let's",
    "now let",
    "now i",
    "i'll",
    "i will",
    "i'm going to",
    "i am going to",
    "i need to",
    "next,",
    "next i",
    "first,",
    "first let",
    "first i",
    "looking at",
    "checking",
    "now ",
    "time to",
    "wait",
    "hmm",
    "actually, let",
    "good, let",
    "ok, let",
    "then i'll",
    "let us",
    "voy a",
    "déjame",
    "ahora voy",
    "vamos a ver",
    "ich werde",
    "ich schaue",
    "lass mich",
    "als nächstes",
    "je vais",
    "laissez-moi",
    "maintenant je",
    "vou ",
    "deixe-me",
    "agora vou",
    "让我",
    "我来",
    "我先",
    "我将",
    "现在我",
    "接下来",
    "まず",
    "次に",
];

/// Words of approval or courtesy that carry nothing.
const COURTESIES: &[&str] = &[
    "perfect",
    "great",
    "good",
    "excellent",
    "sure",
    "ok",
    "okay",
    "got it",
    "done",
    "understood",
    "absolutely",
    "of course",
    "certainly",
    "you're right",
    "you are right",
    "good point",
    "good catch",
    "nice",
    "thanks",
    "thank you",
    "sorry",
    "yes",
    "no response requested",
    "i see",
    "right",
    "alright",
    "interesting",
    "perfecto",
    "claro",
    "listo",
    "hecho",
    "vale",
    "de acuerdo",
    "gut",
    "alles klar",
    "natürlich",
    "erledigt",
    "fertig",
    "parfait",
    "d'accord",
    "bien sûr",
    "c'est fait",
    "perfeito",
    "pronto",
    "feito",
    "好的",
    "好",
    "完成",
    "はい",
    "了解",
];

/// Offers and questions at the end of an answer.
const OFFERS: &[&str] = &[
    "let me know",
    "would you like",
    "do you want",
    "shall i",
    "should i",
    "feel free",
    "want me to",
    "is there anything",
    "if you want",
    "if you'd like",
    "if you need",
    "i can also",
    "happy to",
    "anything else",
    "which approach",
    "what would you",
    "how would you",
    "ready to",
    "dime si",
    "avísame",
    "quieres que",
    "¿quieres",
    "möchtest du",
    "soll ich",
    "sag mir",
    "sag bescheid",
    "veux-tu",
    "voulez-vous",
    "dites-moi",
    "souhaitez-vous",
    "quer que",
    "me avise",
    "如果需要",
    "需要我",
];

/// Openings of announcements of a list.
const ANNOUNCEMENTS: &[&str] = &[
    "here's",
    "here is",
    "here are",
    "summary",
    "the following",
    "aquí está",
    "aquí tienes",
    "hier ist",
    "hier sind",
    "voici",
    "aqui está",
    "以下",
    "changes made",
    "what changed",
    "key changes",
    "in summary",
    "to summarize",
    "resumen",
    "zusammenfassung",
    "résumé",
    "resumo",
    "总结",
];

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
    let bare = without_asides(text, COURTESIES);
    let bare = bare.trim_start_matches(is_ornament);
    if words(head(bare, 120)) < 2
        || begins_any(bare, NARRATION)
        || begins_any(bare, OFFERS)
        || sentence.asks()
    {
        Substance::Filler
    } else if sentence.introduces() {
        Substance::Announcement
    } else if begins_any(bare, ANNOUNCEMENTS) && words(head(bare, 120)) < 9 {
        Substance::Filler
    } else {
        Substance::Statement
    }
}

/// Takes courtesies off the beginning of an agent's sentence, unless nothing else is left.
pub(super) fn without_courtesies(text: &str) -> &str {
    let bare = without_asides(text, COURTESIES);
    if words(head(bare, 120)) < 2 {
        text
    } else {
        bare
    }
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
