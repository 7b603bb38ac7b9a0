//! Secrets that no vendor marks: values beside a name, in addresses, headers and commands.
//!
//! Shapes are found in the bytes as they stand, whatever quotes and escapes are around them; no
//! text is parsed as a whole, so that half a document is as good as a whole one.

mod around;
mod assignment;
mod block;
mod command;
mod commands;
mod distant;
mod header;
mod manifest;
mod quote;
mod shadow;
mod url;
mod value;

use super::name::{Names, Recent};
use super::span::{Rank, Span};
use super::text::part;

/// Ids that the shapes give where no name gives one, and what they mean.
pub(super) const KINDS: &[(&str, &str)] = &[
    (
        AUTH_HEADER,
        "the credentials of an Authorization header, or behind Bearer or Basic",
    ),
    (
        COOKIE,
        "a cookie of a session, or one that looks drawn by lot",
    ),
    (
        URL_PASSWORD,
        "the password or token before the @ of an address",
    ),
    (
        COMMAND_PASSWORD,
        "a password among the arguments of a command",
    ),
    (PGPASS, "the password of a line of .pgpass"),
    (JWK, "a private member of a JSON Web Key"),
    (MANIFEST, "a value of the manifest of a Kubernetes Secret"),
    (HASH, "the hash of a password in a file of users"),
];

const AUTH_HEADER: &str = "auth-header";
const COOKIE: &str = "cookie";
const URL_PASSWORD: &str = "url-password";
const COMMAND_PASSWORD: &str = "command-password";
const PGPASS: &str = "pgpass";
const JWK: &str = "jwk-private";
const MANIFEST: &str = "kubernetes-secret";
const HASH: &str = "password-hash";

/// A word that one of the shapes begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The last part of a secret's name.
    Name,
    /// `://`.
    Address,
    /// `Bearer` or `Basic`.
    Scheme,
    /// A command that takes a password; its place in the list of commands.
    Command(usize),
    /// A port with colons around it, as in `.pgpass`.
    Ports,
    /// The type member of a JSON Web Key.
    Jwk,
    /// A command that reads a password from a pipe.
    Piped,
    /// The member of a manifest that tells its kind.
    Manifest,
    /// The separator of fields in a shadow file.
    Hash,
}

/// Ports of `PostgreSQL`, of its poolers and of what speaks its language, as `.pgpass` writes them.
const PORTS: &[&str] = &[
    ":5430:", ":5431:", ":5432:", ":5433:", ":5434:", ":5435:", ":5436:", ":5437:", ":5438:",
    ":5439:", ":55432:", ":6432:", ":6543:", ":15432:", ":25060:", ":25061:", ":26257:", ":54320:",
    ":54321:", ":54322:", ":*:",
];

/// Words and the shapes that they begin; names are added from the rule files.
pub(super) fn words() -> Vec<(String, Shape)> {
    let mut words = vec![
        ("://".to_owned(), Shape::Address),
        ("bearer".to_owned(), Shape::Scheme),
        ("basic ".to_owned(), Shape::Scheme),
        ("\"kty".to_owned(), Shape::Jwk),
        ("kind".to_owned(), Shape::Manifest),
    ];
    for port in PORTS {
        words.push(((*port).to_owned(), Shape::Ports));
    }
    for opening in [
        ":$1$", ":$5$", ":$6$", ":$y$", ":$2y$", ":$2b$", ":$2a$", ":$apr1$",
    ] {
        words.push((opening.to_owned(), Shape::Hash));
    }
    words.extend(
        commands::READERS
            .iter()
            .map(|word| ((*word).to_owned(), Shape::Piped)),
    );
    let commands = commands::COMMANDS.iter().enumerate();
    words.extend(commands.map(|(at, command)| (command.name.to_owned(), Shape::Command(at))));
    words
}

/// Where a kind of byte stands next: a stretch of a text is searched once, however many places in
/// it ask.
#[derive(Debug, Clone, Copy, Default)]
struct Ahead {
    from: usize,
    until: usize,
}

impl Ahead {
    /// The first place from `at` on, but before `limit`, that `find` finds; `limit` if there is none.
    fn next(
        &mut self,
        text: &[u8],
        at: usize,
        limit: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> usize {
        let known = if (self.from..=self.until).contains(&at) {
            self.until
        } else {
            at
        };
        if known >= limit {
            return limit;
        }
        // What lies before `known` holds none; `known` itself may.
        let found = find(part(text, known, limit)).map_or(limit, |place| known + place);
        if known == at {
            self.from = at;
        }
        self.until = found;
        found
    }
}

/// What the shapes found so far, and where they need not look again.
#[derive(Debug)]
pub(super) struct Finder<'e, 't> {
    names: &'e Names,
    recent: Recent<'e>,
    text: &'t [u8],
    spans: Vec<Span<'e>>,
    /// End of the last command line looked at, by command.
    commands: Vec<usize>,
    /// End of the last name looked at.
    looked: usize,
    /// End of the last manifest looked at.
    manifests: usize,
    /// End of the last JSON Web Key looked at.
    keys: usize,
    /// The next `@`, and the next byte that ends an authority.
    authority: [Ahead; 2],
    /// End of the last header whose parameters were looked at.
    headers: usize,
}

impl<'e, 't> Finder<'e, 't> {
    /// Begins a text.
    pub(super) fn new(names: &'e Names, text: &'t [u8]) -> Self {
        Self {
            names,
            recent: Recent::default(),
            text,
            spans: Vec::new(),
            commands: vec![0; commands::COMMANDS.len()],
            looked: 0,
            manifests: 0,
            keys: 0,
            authority: [Ahead::default(); 2],
            headers: 0,
        }
    }

    /// Looks at a word of a shape; words must come in the order of the text.
    pub(super) fn look(&mut self, shape: Shape, start: usize, end: usize) {
        match shape {
            Shape::Name => self.name(start, end),
            Shape::Address => self.address(start, end),
            Shape::Scheme => self.scheme(end),
            Shape::Command(index) => self.command(index, start, end),
            Shape::Ports => self.ports(start, end),
            Shape::Jwk => self.jwk(start, end),
            Shape::Piped => self.piped(start),
            Shape::Manifest => self.manifest(start, end),
            Shape::Hash => self.hash(start),
        }
    }

    /// Gives up the places found.
    pub(super) fn into_spans(self) -> Vec<Span<'e>> {
        self.spans
    }

    /// Whether a place lies in what is hidden already.
    fn is_hidden(&self, at: usize) -> bool {
        self.spans
            .iter()
            .rev()
            .take(4)
            .any(|span| span.start <= at && at < span.end)
    }

    fn hide(&mut self, start: usize, end: usize, id: &'e str) {
        self.spans.push(Span {
            start,
            end,
            id,
            rank: Rank::Structure,
            secret: true,
            bare: false,
        });
    }
}
