//! Tags of HTML: what has no text is taken out, the rest is made small and its depth counted.
//!
//! Bounded in time whatever the input: a tag that goes on for too long is text, and only so many
//! tags are looked at to find where an element ends.

/// Tags that are looked at to find the ends of elements.
const TAGS: usize = 200_000;
/// Quoted values of one tag.
const QUOTES: usize = 100;
/// Bytes of a tag between quoted values.
const UNQUOTED: usize = 2048;
/// Depth beyond which it does not matter by how much.
pub(super) const DEEPEST: usize = 120;

/// HTML without what has no text.
pub(super) struct Stripped {
    /// What is left.
    pub(super) html: String,
    /// Most elements that stand inside of each other.
    pub(super) depth: usize,
}

/// Elements that are left out with all that is in them.
const SILENT: &[&str] = &[
    "math", "style", "script", "head", "title", "noscript", "svg", "object", "template", "select",
];
/// Elements that have no text of their own.
const TEXTLESS: &[&str] = &[
    "img", "input", "meta", "link", "base", "html", "body", "col",
];
/// Elements that have no end.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements that make no depth worth counting, since they are closed by what follows them.
const LOOSE: &[&str] = &["p", "li", "td", "tr", "th", "option", "dd", "dt"];

/// Takes out what has no text.
pub(super) fn strip(html: &str) -> Stripped {
    let mut out = String::with_capacity(html.len());
    let mut nesting = Nesting::default();
    let mut budget = TAGS;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        out.push_str(before);
        let Some(tag) = Tag::read(tagged) else {
            out.push_str("&lt;");
            rest = tagged.get(1..).unwrap_or_default();
            continue;
        };
        rest = tagged.get(tag.length..).unwrap_or_default();
        let name = tag.name.as_str();
        if name.is_empty() || TEXTLESS.contains(&name) {
            continue;
        }
        let is_void = VOID.contains(&name);
        if !tag.closes && !is_void && (SILENT.contains(&name) || tag.is_hidden()) {
            rest = behind_element(rest, name, &mut budget);
            continue;
        }
        if SILENT.contains(&name) {
            continue;
        }
        if name == "hr" {
            out.push_str("<br>");
            continue;
        }
        if !is_void && !LOOSE.contains(&name) {
            nesting.take(&tag);
        }
        tag.write(&mut out);
    }
    out.push_str(rest);
    Stripped {
        html: out,
        depth: nesting.deepest,
    }
}

/// Elements that are open, as far as they can be told: never fewer than a browser would have.
#[derive(Default)]
struct Nesting {
    open: Vec<String>,
    deepest: usize,
}

impl Nesting {
    fn take(&mut self, tag: &Tag<'_>) {
        // Beyond the limit it does not matter by how much.
        if self.deepest > DEEPEST {
            return;
        }
        if !tag.closes {
            self.open.push(tag.name.clone());
            self.deepest = self.deepest.max(self.open.len());
        } else if let Some(at) = self.open.iter().rposition(|open| *open == tag.name) {
            // What was opened inside of it and not closed may live on behind it.
            self.open.remove(at);
        }
    }
}

/// What follows an element that begins before `rest`, elements of the same name inside of it
/// included; without an end, only the tag is left out. At most `budget` tags are looked at.
fn behind_element<'a>(rest: &'a str, name: &str, budget: &mut usize) -> &'a str {
    let mut open = 1_usize;
    let mut at = rest;
    while *budget > 0 {
        *budget -= 1;
        let Some(next) = at.find('<') else { break };
        let (_, tagged) = at.split_at(next);
        let Some(tag) = Tag::read(tagged) else {
            at = tagged.get(1..).unwrap_or_default();
            continue;
        };
        at = tagged.get(tag.length..).unwrap_or_default();
        if tag.name == name {
            open = if tag.closes { open - 1 } else { open + 1 };
            if open == 0 {
                return at;
            }
        }
    }
    rest
}

/// One tag or comment.
struct Tag<'a> {
    /// In lower case; empty for comments and declarations.
    name: String,
    closes: bool,
    attributes: &'a str,
    length: usize,
}

impl<'a> Tag<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let nameless = |length| Self {
            name: String::new(),
            closes: false,
            attributes: "",
            length,
        };
        if let Some(comment) = text.strip_prefix("<!--") {
            let end = comment.find("-->").map_or(text.len(), |end| end + 7);
            return Some(nameless(end));
        }
        let inner = text.get(1..)?;
        if inner.starts_with(['!', '?']) {
            return Some(nameless(text.find('>').map_or(text.len(), |end| end + 1)));
        }
        let (closes, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let end = end_of_tag(inner)?;
        let whole = inner.get(..end)?;
        let name_end = whole
            .find(|c: char| c.is_whitespace() || c == '/')
            .unwrap_or(whole.len());
        let (name, attributes) = whole.split_at(name_end);
        Some(Self {
            name: name.to_ascii_lowercase(),
            closes,
            attributes,
            length: text.len() - inner.len() + end + 1,
        })
    }

    /// Whether the element is not to be seen: what senders put before a mail for its preview.
    fn is_hidden(&self) -> bool {
        let lower: String = self.attributes.to_ascii_lowercase();
        let lower: String = lower.split_ascii_whitespace().collect();
        [
            "display:none",
            "visibility:hidden",
            "mso-hide:all",
            "font-size:0;",
            "font-size:0px",
            "max-height:0",
        ]
        .iter()
        .any(|style| lower.contains(style))
    }

    /// Writes the tag with nothing but what matters to a text.
    fn write(&self, out: &mut String) {
        out.push('<');
        if self.closes {
            out.push('/');
        }
        out.push_str(&self.name);
        let is_link = self.name == "a" && !self.closes;
        if let Some(url) = self.attribute("href").filter(|_| is_link) {
            out.push_str(" href=\"");
            out.push_str(&url.replace('"', "%22"));
            out.push('"');
        }
        out.push('>');
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        let lower = self.attributes.to_ascii_lowercase();
        let at = lower.find(name)? + name.len();
        let rest = self
            .attributes
            .get(at..)?
            .trim_start()
            .strip_prefix('=')?
            .trim_start();
        match rest.chars().next()? {
            quote @ ('"' | '\'') => rest.get(1..)?.split(quote).next(),
            _ => rest.split(|c: char| c.is_whitespace() || c == '>').next(),
        }
    }
}

/// Where a tag ends; a `>` within quotes is none, unless the quotes are never closed. What goes on
/// for too long is no tag.
fn end_of_tag(inner: &str) -> Option<usize> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    for _ in 0..QUOTES {
        let rest = bytes.get(at..)?;
        let window = rest.get(..rest.len().min(UNQUOTED)).unwrap_or_default();
        let found = memchr::memchr3(b'>', b'"', b'\'', window)?;
        let quote = *window.get(found)?;
        at += found;
        if quote == b'>' {
            return Some(at);
        }
        match memchr::memchr(quote, bytes.get(at + 1..)?) {
            Some(closing) => at += closing + 2,
            None => break,
        }
    }
    let window = bytes.get(..bytes.len().min(UNQUOTED)).unwrap_or_default();
    memchr::memchr(b'>', window)
}

/// Strips tags and nothing else: the way out when nothing better works.
pub(super) fn bare(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        out.push_str(before);
        let Some(tag) = Tag::read(tagged) else {
            out.push('<');
            rest = tagged.get(1..).unwrap_or_default();
            continue;
        };
        let breaks = [
            "br",
            "p",
            "div",
            "tr",
            "li",
            "table",
            "blockquote",
            "h1",
            "h2",
            "h3",
        ];
        if breaks.contains(&tag.name.as_str()) && !out.ends_with('\n') {
            out.push('\n');
        }
        rest = tagged.get(tag.length..).unwrap_or_default();
    }
    out.push_str(rest);
    let entities = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(out, |text, (entity, sign)| text.replace(entity, sign))
}
