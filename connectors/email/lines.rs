//! The lines of a mail's text, with the depth at which they are quoted.

/// Deepest quotation that is told apart.
const DEEPEST: u8 = 20;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    /// How often it is quoted; 0 for what the sender wrote.
    pub(super) depth: u8,
    /// Its text without the quote marks.
    pub(super) text: String,
}

impl Line {
    /// A line that the sender wrote.
    pub(super) fn own(text: impl Into<String>) -> Self {
        Self {
            depth: 0,
            text: text.into(),
        }
    }

    /// Whether nothing stands on it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Writes it with one quote mark for each depth.
    pub(super) fn write(&self, out: &mut String) {
        for _ in 0..self.depth {
            out.push('>');
        }
        if self.depth > 0 && !self.text.is_empty() {
            out.push(' ');
        }
        out.push_str(&self.text);
    }
}

/// How soft line ends are written (RFC 3676).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Every line end is meant.
    Fixed,
    /// A blank before a line end says that the line goes on.
    Flowed {
        /// Whether that blank is no part of the text.
        delete_space: bool,
    },
}

/// Cuts a text into lines.
pub(super) fn read(text: &str, flow: Flow) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut goes_on = false;
    for raw in text.split('\n') {
        let raw = raw.strip_suffix('\r').unwrap_or(raw);
        let (depth, content) = unquoted(raw);
        let Flow::Flowed { delete_space } = flow else {
            lines.push(line(depth, content));
            continue;
        };
        // Space-stuffing: one blank before what begins with a blank, `>` or `From `.
        let content = match depth {
            0 => content.strip_prefix(' ').unwrap_or(content),
            _ => content,
        };
        let is_sign = content == "-- ";
        let soft = content.ends_with(' ') && !is_sign;
        let content = match content.strip_suffix(' ') {
            Some(rest) if soft && delete_space => rest,
            _ => content,
        };
        match lines
            .last_mut()
            .filter(|last| goes_on && last.depth == depth && !is_sign)
        {
            Some(last) => last.text.push_str(content),
            None => lines.push(Line {
                depth,
                text: content.to_owned(),
            }),
        }
        goes_on = soft;
    }
    if flow != Flow::Fixed {
        lines.iter_mut().for_each(|line| trim(&mut line.text));
    }
    lines
}

fn line(depth: u8, content: &str) -> Line {
    let mut text = content.to_owned();
    trim(&mut text);
    Line { depth, text }
}

/// Takes blanks from a line's end, except from a signature's mark.
fn trim(text: &mut String) {
    if text != "-- " {
        text.truncate(text.trim_end().len());
    }
}

/// Takes quote marks from a line: `>`, also with blanks between them.
fn unquoted(line: &str) -> (u8, &str) {
    let mut depth = 0;
    let mut rest = line;
    while depth < DEEPEST {
        // A first mark stands at the very beginning, or behind one blank.
        let inner = if depth == 0 {
            rest
        } else {
            rest.strip_prefix(' ').unwrap_or(rest)
        };
        match inner.strip_prefix('>') {
            Some(after) => {
                depth += 1;
                rest = after;
            }
            None => break,
        }
    }
    match depth {
        0 => (0, line),
        _ => (depth, rest.strip_prefix(' ').unwrap_or(rest)),
    }
}

/// Takes out of a text what has no place in one: control characters, marks that change the
/// direction of writing, and what has no width.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' '..='~' | '\n' | '\t' => out.push(c),
            '\r' if chars.peek() != Some(&'\n') => out.push('\n'),
            '\u{c}' | '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            '\u{a0}' | '\u{202f}' | '\u{2007}' => out.push(' '),
            // Joiners are part of some scripts and of some emoji, and padding elsewhere.
            '\u{200c}' | '\u{200d}' => {
                let joins = |c: char| !c.is_ascii() && !c.is_whitespace() && !is_unseen(c);
                let before = out.chars().next_back().is_some_and(joins);
                if before && chars.peek().copied().is_some_and(joins) {
                    out.push(c);
                }
            }
            c if c.is_control() || is_unseen(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Characters that nobody sees.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{206a}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, flow: Flow) -> String {
        let mut out = String::new();
        for line in read(text, flow) {
            line.write(&mut out);
            out.push('|');
        }
        out
    }

    const FLOWED: Flow = Flow::Flowed {
        delete_space: false,
    };

    #[test]
    fn quote_marks_are_told_from_text() {
        assert_eq!(
            told("a\n> b\n>> c\n> > d\n >e\n>", Flow::Fixed),
            "a|> b|>> c|>> d| >e|>|"
        );
    }

    #[test]
    fn soft_line_ends_are_undone_within_one_depth() {
        assert_eq!(told("one \ntwo\nthree", FLOWED), "one two|three|");
        assert_eq!(told("> one \n> two \nthree", FLOWED), "> one two|three|");
        assert_eq!(told("a \n-- \nAna", FLOWED), "a|-- |Ana|");
        assert_eq!(told("  stuffed\n >x", FLOWED), " stuffed|>x|");
        let asian = Flow::Flowed { delete_space: true };
        assert_eq!(told("日 \n本\nend", asian), "日本|end|");
        assert_eq!(told(" ", FLOWED), "|");
    }

    #[test]
    fn what_nobody_sees_goes() {
        let text = "a\u{200b}b\u{202e}c\u{0}d\u{a0}e\u{200c}\u{a0}می\u{200c}خواهم 👩\u{200d}💻 \u{1b}[0m\rx";
        assert_eq!(clean(text), "abcd e می\u{200c}خواهم 👩\u{200d}💻 [0m\nx");
    }
}
