//! What must hold for any bytes as mail; used by the fuzz target and by ordinary tests over the
//! seeds.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use jezero_connectors::connector::{Request, Surroundings};
use jezero_connectors::marks::Memory;
use jezero_connectors::{Block, Event, Instant, Sink, kind, render};

/// One folder for all runs of a process: names of files are told in reports.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let shared = Path::new("/dev/shm");
    match shared.is_dir() {
        true => tempfile::tempdir_in(shared),
        false => tempfile::tempdir(),
    }
    .expect("a temporary folder")
});

/// Reads a store; returns the blocks of all its units.
fn read(store: &str, place: &Path) -> Vec<Block> {
    let mut options = toml::Table::new();
    options.insert(store.into(), place.display().to_string().into());
    options.insert("settle_minutes".into(), 0.into());
    options.insert("skip_bulk".into(), false.into());
    let email = kind("email").expect("the kind");
    let mut connector = email
        .build(&options, &Surroundings::default())
        .expect("good options");
    let request = Request {
        memory: Memory::default().into(),
        now: Instant::parse("2026-11-30T00:00:00Z").expect("a time"),
        sample: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (sink, mut receiver) = Sink::channel();
        let gather = async {
            let mut all = Vec::new();
            while let Some(event) = receiver.recv().await {
                if let Event::Blocks(blocks) = event {
                    all.extend(blocks);
                }
            }
            all
        };
        let (blocks, (report, result)) = tokio::join!(gather, connector.poll(request, sink));
        result.expect("a store that is there is read");
        assert_eq!(report.failed, 0, "{:?}", report.problems);
        blocks
    })
}

/// Checks bytes as a mail and as an mbox: no reading fails, two readings are equal, and no line of
/// a text reads as the beginning of another block.
pub(super) fn raw_mail(bytes: &[u8]) {
    let folder = FOLDER
        .path()
        .join(format!("{:?}", std::thread::current().id()));
    let letters = folder.join("letters");
    fs::create_dir_all(&letters).expect("a folder");
    let files = [letters.join("a.eml"), folder.join("box")];
    for file in &files {
        fs::write(file, bytes).expect("a file");
        // What a file's time is bears upon mails without a date.
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        let opened = fs::File::options().write(true).open(file);
        opened
            .and_then(|file| file.set_modified(time))
            .expect("a time");
    }
    for (store, place) in [("eml_dir", letters.as_path()), ("mbox", files[1].as_path())] {
        let blocks = read(store, place);
        assert_eq!(blocks, read(store, place), "two readings are equal");
        for piece in blocks.iter().flat_map(|block| &block.pieces) {
            let mut lines = piece.text.split('\n');
            assert!(lines.next().is_some_and(render::is_header));
            let header = |line: &str| render::is_header(line) && !line.starts_with('\\');
            assert!(!lines.any(header), "a line passes for a block");
        }
    }
}
