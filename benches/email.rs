//! Mail into threads: reading a Maildir for the first time, and again with nothing new.
//!
//! The mail is made: `JEZERO_MAILS` says how many (20,000 by default). With
//! `JEZERO_MAIL_FOLDER=<folder>` the Maildir is made there and kept, to be read by the program
//! itself; `JEZERO_MAIL_HUGE=1` adds a mail of 100 MB and a thread of 5,000 mails. `parse` is the
//! yardstick: the same bytes through the MIME parser alone.
#![expect(
    clippy::expect_used,
    reason = "a bench that cannot be set up should stop"
)]

mod mails;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use jezero_connectors::connector::{Request, Surroundings};
use jezero_connectors::marks::{Memory, Recalled};
use jezero_connectors::{Event, Mark, Sink, kind};

fn main() {
    if let Some(folder) = option_env("JEZERO_MAIL_FOLDER") {
        let folder = PathBuf::from(folder);
        let bytes = mails::make(&folder, count(), option_env("JEZERO_MAIL_HUGE").is_some());
        mails::say(&format!("{bytes} bytes in {}", folder.display()));
        return;
    }
    divan::main();
}

#[expect(
    clippy::disallowed_methods,
    reason = "switches for whoever runs the bench"
)]
fn option_env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn count() -> u64 {
    let wanted = option_env("JEZERO_MAILS").and_then(|count| count.parse().ok());
    wanted.unwrap_or(20_000)
}

/// A Maildir, made once.
struct Ground {
    folder: tempfile::TempDir,
    bytes: u64,
}

fn ground() -> &'static Ground {
    static GROUND: OnceLock<Ground> = OnceLock::new();
    GROUND.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bytes = mails::make(folder.path(), count(), false);
        Ground { folder, bytes }
    })
}

/// Polls once; returns the marks and how much text was sent.
fn poll(folder: &Path, memory: Memory) -> (Vec<Mark>, usize) {
    let mut options = toml::Table::new();
    options.insert("maildir".into(), folder.display().to_string().into());
    options.insert("settle_minutes".into(), 0.into());
    let email = kind("email").expect("the kind");
    let mut connector = email
        .build(&options, &Surroundings::default())
        .expect("good options");
    let request = Request {
        memory: memory.into(),
        now: jezero_connectors::Instant::parse("2026-11-30T00:00:00Z").expect("a time"),
        sample: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (sink, mut receiver) = Sink::channel();
        let gather = async {
            let (mut marks, mut bytes) = (Vec::new(), 0);
            while let Some(event) = receiver.recv().await {
                match event {
                    Event::Blocks(blocks) => {
                        bytes += blocks.iter().map(|block| block.bytes()).sum::<usize>();
                    }
                    Event::End(end) => marks.extend(end.marks),
                    Event::Marks(more) => marks.extend(more),
                    Event::Start(_) | Event::Abandoned => {}
                }
            }
            (marks, bytes)
        };
        let (gathered, (_, result)) = tokio::join!(gather, connector.poll(request, sink));
        result.expect("a reading");
        gathered
    })
}

fn remembered(marks: Vec<Mark>) -> Memory {
    let recalled = marks.into_iter().map(|mark| {
        let recalled = Recalled {
            value: mark.value,
            identity: mark.identity,
            tail: None,
        };
        (mark.key, recalled)
    });
    Memory::new(recalled.collect())
}

#[divan::bench(sample_count = 5)]
fn first_reading(bencher: Bencher<'_, '_>) {
    let ground = ground();
    bencher
        .counter(BytesCount::new(ground.bytes))
        .bench_local(|| poll(black_box(ground.folder.path()), Memory::default()));
}

#[divan::bench(sample_count = 20)]
fn nothing_new(bencher: Bencher<'_, '_>) {
    let ground = ground();
    let memory = remembered(poll(ground.folder.path(), Memory::default()).0);
    bencher
        .with_inputs(|| memory.clone())
        .bench_local_values(|memory| {
            let (_, bytes) = poll(black_box(ground.folder.path()), memory);
            assert_eq!(bytes, 0, "nothing is sent");
        });
}

/// What `find -newer` does: a look at every file.
#[divan::bench(sample_count = 20)]
fn stat_all(bencher: Bencher<'_, '_>) {
    let folder = ground().folder.path().join("cur");
    bencher.bench_local(|| {
        let entries = fs::read_dir(black_box(&folder)).expect("the folder");
        entries
            .flatten()
            .filter(|entry| entry.metadata().is_ok_and(|data| data.len() > 0))
            .count()
    });
}

#[divan::bench(sample_count = 5)]
fn parse(bencher: Bencher<'_, '_>) {
    let ground = ground();
    let entries = fs::read_dir(ground.folder.path().join("cur")).expect("the folder");
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    bencher
        .counter(BytesCount::new(ground.bytes))
        .bench_local(|| {
            for file in &files {
                let bytes = fs::read(file).expect("a mail");
                black_box(mail_parser::MessageParser::default().parse(&bytes));
            }
        });
}
