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

use super::tags::{DEEPEST, bare, strip};

/// Bytes of HTML that are rendered; what follows is left out.
const LONGEST: usize = 512 * 1024;
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
