//! Whether a token may reach from one keyword of its rule to the next.
//!
//! It may if the run of bytes that a token is made of goes on between them, also behind a line break, or
//! if there is room for the shortest one. When in doubt, it may.

use super::Rule;
use crate::redaction::text::{byte, line_break, part, skip_blanks};

impl Rule {
    /// Whether no token that begins at a keyword reaches the next one, or needs it.
    pub(in crate::redaction) fn apart(
        &self,
        text: &[u8],
        last: (usize, usize),
        word: (usize, usize),
    ) -> bool {
        let ready = self.regex.get().and_then(Option::as_ref);
        let Some(needs) = ready.and_then(|ready| ready.least.as_ref()) else {
            return false;
        };
        let least = needs.length().saturating_sub(self.raw.before);
        if self.raw.keywords.is_empty() || word.0 >= last.0 + least {
            return false;
        }
        let end = self.alphabet.run_end(text, last.1, word.0);
        let gap = line_break(text, end);
        // As a token that a line break cuts is joined: `Rule::broken`.
        let goes_on = || {
            let from = skip_blanks(text, end + gap);
            let to = self.alphabet.run_end(text, from, from + least);
            let line = part(text, from, to);
            end - last.0 + line.len() >= least && !begins_anew(line, part(text, last.0, last.1))
        };
        end < word.0 && !needs.uses(byte(text, end)) && (gap == 0 || !goes_on())
    }
}

/// Whether a line that begins as a token did, with the same keyword, begins one of its own.
pub(super) fn begins_anew(line: &[u8], keyword: &[u8]) -> bool {
    keyword.len() >= 4 && line.starts_with(keyword)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::rule::RawRule;

    fn apart(form: &str, text: &str) -> bool {
        let raw: RawRule = toml::from_str(form).expect("a rule");
        let rule = Rule::new(raw, "own.toml", true).expect("a rule");
        let mut words = text.match_indices("tok_").map(|(at, _)| (at, at + 4));
        let (last, word) = (words.next().expect("one"), words.next().expect("two"));
        rule.apart(text.as_bytes(), last, word)
    }

    #[test]
    fn keywords_are_apart_where_no_token_fits_between_them() {
        let plain = "id = 'own'\ndescription = ''\nkeywords = ['tok_']\nregex = 'tok_[a-z]{20}'";
        let colon = "id = 'own'\ndescription = ''\nkeywords = ['tok_']\nregex = 'tok_[a-z:]{20}'";
        for (form, text, expected) in [
            (plain, "tok_abc tok_abc", true),
            // The run goes on, or the bytes between them may stand in a token.
            (plain, "tok_abctok_abc", false),
            (plain, "tok_abc:tok_abc", true),
            (colon, "tok_abc:tok_abc", false),
            // There is room for one.
            (plain, "tok_abcdefghijklmnopqrst tok_abc", false),
            // The next line goes on, begins anew, or is too short to go on.
            (plain, "tok_abc\nabcdefghijtok_abcdefghij", false),
            (plain, "tok_abc\ntok_abcdefghijklmnop", true),
            (plain, "tok_abc\nab tok_abc", true),
        ] {
            assert_eq!(apart(form, text), expected, "{text:?}");
        }
    }
}
