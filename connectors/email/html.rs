//! HTML to text.
//!
//! What has no text is taken out first (styles, scripts, hidden elements, pictures, rules); the
//! rest is rendered by html2text. That has panicked on damaged tables and grows with depth, so its
//! input is bounded in size and depth, a panic is caught, and tags alone are stripped then.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use html2text::config;
use html2text::render::TextDecorator;

/// Bytes of HTML that are rendered; what follows is left out.
const LONGEST: usize = 512 * 1024;
/// Elements inside of each other beyond which only tags are stripped.
const DEEPEST: usize = 120;
/// Tags that are looked at to find the ends of elements.
const TAGS: usize = 200_000;
/// Quoted values of one tag.
const QUOTES: usize = 100;
/// Bytes of a tag between quoted values.
const UNQUOTED: usize = 2048;
/// Columns of a page: lines are not to be wrapped.
const WIDTH: usize = 4000;
/// Longest address of a link that is kept.
const LINK: usize = 200;

/// Renders HTML as text in which quotations have `>` before their lines.
pub(super) fn text(html: &str) -> String {
    let html = match html.len() > LONGEST {
        true => html.get(..boundary(html, LONGEST)).unwrap_or(html),
        false => html,
    };
    let stripped = strip(html);
    if stripped.depth <= DEEPEST
        && let Some(text) = rendered(&stripped.html)
    {
        return single_links(&text);
    }
    bare(&stripped.html)
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

thread_local! {
    /// Whether a panic of this thread is awaited and is nobody's business.
    static AWAITED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what may panic on odd input; the panic's message, which may quote the input, is not shown.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !AWAITED.get() {
                before(info);
            }
        }));
    });
    let outer = AWAITED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    AWAITED.set(outer);
    result.ok()
}

fn rendered(html: &str) -> Option<String> {
    let render = || {
        config::with_decorator(Plain::default())
            .raw_mode(true)
            .allow_width_overflow()
            .string_from_read(html.as_bytes(), WIDTH)
            .ok()
    };
    guarded(render).flatten()
}

/// Text alone; a link's address stands behind it.
#[derive(Debug, Clone, Default)]
struct Plain {
    link: Option<String>,
}

impl TextDecorator for Plain {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        self.link = (is_web && url.len() <= LINK).then(|| url.to_owned());
        (String::new(), ())
    }

    fn decorate_link_end(&mut self) -> String {
        match self.link.take() {
            Some(url) => format!(" ({url})"),
            None => String::new(),
        }
    }

    fn decorate_em_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_em_end(&self) -> String {
        String::new()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strong_end(&self) -> String {
        String::new()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strikeout_end(&self) -> String {
        String::new()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_code_end(&self) -> String {
        String::new()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, _: &str, _: &str) -> (String, ()) {
        (String::new(), ())
    }

    fn header_prefix(&self, _: usize) -> String {
        String::new()
    }

    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }

    fn unordered_item_prefix(&self) -> String {
        "- ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }

    fn make_subblock_decorator(&self) -> Self {
        Self::default()
    }
}

/// Drops a link's address where the text before it says it already.
fn single_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" (http") {
        let (before, link) = rest.split_at(at);
        out.push_str(before);
        let end = link.find(')').map_or(link.len(), |end| end + 1);
        let (link, after) = link.split_at(end);
        let url = link.trim_start_matches(" (").trim_end_matches(')');
        let short = url.split_once("://").map_or(url, |(_, short)| short);
        let said = out.trim_end_matches('/');
        let is_said = said.ends_with(url.trim_end_matches('/'))
            || said.ends_with(short.trim_end_matches('/'));
        if !is_said {
            out.push_str(link);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// HTML without what has no text.
struct Stripped {
    html: String,
    /// Most elements that stand inside of each other.
    depth: usize,
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

fn strip(html: &str) -> Stripped {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_a_reader_sees() {
        let html = "<html><head><style>p{x}</style><title>t</title></head><body>\
            <div style=\"display: none; x\">preview <div>inner</div></div>\
            <p>Hello&nbsp;Ana, see <a href='https://example.org/a'>the page</a> and \
            <a href=\"https://example.org/\">example.org</a>.</p><script>alert(1)</script>\
            <ul><li>one</li><li>two</li></ul><img src=x alt=logo><hr>\
            <!-- a comment --><blockquote>said<blockquote>before</blockquote></blockquote></body></html>";
        assert_eq!(
            text(html),
            "Hello\u{a0}Ana, see the page (https://example.org/a) and example.org.\n- one\n- two\n\n\n> said\n> \n> > before\n"
        );
    }

    #[test]
    fn odd_tables_unclosed_tags_and_depth_give_text() {
        for html in [
            "<table><tr><td rowspan=0>cell</td></tr><tr><td rowspan=9 colspan=9>cell</td></tr></table>",
            "<table><tr><td colspan=4294967295>cell</td></table>",
            "cell <b <i",
            "<p title=\"never closed>cell</p>",
            "<style>never closed cell",
            "<div style='display:none'>cell",
        ] {
            assert!(text(html).contains("cell"), "{html}: {}", text(html));
        }
        let deep = format!("{}cell{}", "<div>".repeat(50_000), "</div>".repeat(50_000));
        assert_eq!(text(&deep).trim(), "cell");
        let crossed = format!("{}cell", "<b><i></b>".repeat(20_000));
        assert_eq!(text(&crossed).trim(), "cell");
        let unquoted = "<a \"".repeat(100_000);
        assert!(text(&unquoted).len() < 800_000);
        let silent = format!("{}cell", "<style>".repeat(60_000));
        assert!(text(&silent).contains("cell"));
        let picture = format!(
            "<img src=\"data:image/png;base64,{}\">cell",
            "QUJD".repeat(50_000)
        );
        assert_eq!(text(&picture).trim(), "cell");
        assert_eq!(text("1 < 2 and 3 > 2").trim(), "1 < 2 and 3 > 2");
        assert_eq!(text(""), "");
    }

    #[test]
    fn a_panic_is_caught() {
        let none: Option<()> = guarded(|| panic!("quotes the input"));
        assert_eq!(none, None);
        assert_eq!(guarded(|| 1), Some(1));
    }
}
