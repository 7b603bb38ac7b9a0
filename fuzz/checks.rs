//! What must hold for any bytes; used by the fuzz targets and by ordinary tests over the seeds.

use std::io::Cursor;

use jezero_connectors::claude_code::options::Options;
use jezero_connectors::claude_code::session::{self, Known, Source};
use jezero_connectors::marks::Tail;
use jezero_connectors::report::Report;
use jezero_connectors::{Block, Instant};

/// Reads bytes as a session file, whole or from a tail on.
fn read(
    bytes: &[u8],
    reach: u64,
    known: &Known,
    tail: Option<Tail>,
) -> (Vec<Block>, Known, Report) {
    let options = Options {
        max_line_mb: 1,
        ..Options::default()
    };
    let source = Source {
        place: "s.jsonl",
        sub_agent: false,
        fallback: Instant::default(),
        reach,
        options: &options,
    };
    let mut input = Cursor::new(bytes);
    let head = session::head(&mut input, &options).expect("memory can be read");
    let fresh = Known {
        first_time: head.first_time.map(Instant::unix),
        ..Known::default()
    };
    let known = tail.map_or(&fresh, |_| known);
    let mut report = Report::default();
    let mut blocks = Vec::new();
    let known = session::read(
        &mut input,
        &source,
        known,
        tail,
        &mut report,
        &mut |block| {
            blocks.push(block);
            Ok(())
        },
    );
    (blocks, known.expect("memory can be read"), report)
}

/// Checks a session file: locators increase, two readings are equal, no body line reads as a
/// header, and a reading from any block on gives the end of the whole reading. The first byte says
/// how far earlier records bear upon later ones.
pub(super) fn session_file(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    let reach = u64::from(*first) * 16;
    let (blocks, known, report) = read(bytes, reach, &Known::default(), None);
    assert_eq!(
        read(bytes, reach, &Known::default(), None),
        (blocks.clone(), known.clone(), report)
    );
    assert!(known.extent.end <= bytes.len() as u64);
    for pair in blocks.windows(2) {
        assert!(pair[0].locator < pair[1].locator);
        assert!(pair[0].position <= pair[1].position);
    }
    for piece in blocks.iter().flat_map(|block| &block.pieces) {
        let mut lines = piece.text.split('\n');
        let header =
            |line: &str| !line.starts_with('\\') && jezero_connectors::render::is_header(line);
        assert!(lines.next().is_some_and(header));
        assert!(!lines.any(header));
    }
    let step = (blocks.len() / 16).max(1);
    for (at, block) in blocks.iter().enumerate().step_by(step) {
        let tail = Tail {
            locator: block.locator,
            position: block.position,
        };
        let (end, again, report) = read(bytes, reach, &known, Some(tail));
        assert_eq!(end, blocks[at..], "from {}", block.locator);
        assert_eq!(again.extent, known.extent);
        assert_eq!(again.first_block, known.first_block);
        let unterminated = bytes.len() as u64 > known.extent.end;
        assert!(report.problems.is_empty() || unterminated, "told again");
    }
}
