//! Reading one session file: its lines, from the beginning or from a tail on, as blocks.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use super::blocks::{Place, Renderer};
use super::line::{self, Condition, Parsed};
use super::options::Options;
use super::record::Record;
use super::title::Titles;
pub use super::window::REACH;
use crate::digest;
use crate::error::ConnectorError;
use crate::jsonl::{self, Content, Line, Lines};
use crate::marks::Tail;
use crate::report::Report;
use crate::time::Instant;
use crate::unit::{Block, Locator, RecordKey};

/// What a reading knows of a file when it ends, and what the next one can start from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Known {
    /// How far it goes and what stands in it.
    #[serde(rename = "x")]
    pub extent: Digested,
    /// The first plausible time of the file, in seconds since 1970.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub first_time: Option<i64>,
    /// Line of the first block.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    pub first_block: Option<u64>,
    /// The best title so far.
    #[serde(rename = "n", default, skip_serializing_if = "Titles::is_none")]
    pub titles: Titles,
    /// Whether a record has named a working folder.
    #[serde(rename = "c", default, skip_serializing_if = "is_no")]
    pub has_cwd: bool,
    /// The first working folder that a record names, unless an earlier reading told it.
    #[serde(skip)]
    pub cwd: Option<String>,
}

/// Whether a field is at its default and is left out of a mark.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
pub(super) fn is_no(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A digest of a file's lines that can be carried on when the file grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Digested {
    /// Byte offset after the last whole line.
    #[serde(rename = "e")]
    pub end: u64,
    /// Digest of all whole lines.
    #[serde(rename = "l")]
    lines: u64,
    /// Digest of what stands after the last whole line; it can still change.
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    rest: u64,
}

impl Digested {
    /// Digests a line unless it was digested before.
    fn saw(&mut self, line: &Line<'_>) {
        if line.offset < self.end {
            return;
        }
        let bytes = match line.content {
            Content::Bytes(bytes) => bytes,
            // Not kept, so its length stands for it.
            Content::TooLong => &(line.end - line.offset).to_le_bytes(),
        };
        if line.terminated {
            self.lines = digest::fast(self.lines, bytes);
            self.end = line.end;
            self.rest = 0;
        } else {
            self.rest = digest::fast(1, bytes);
        }
    }

    /// Digests a whole file without parsing it.
    ///
    /// # Errors
    /// That of the input.
    pub fn of(input: &mut (impl Read + Seek), options: &Options) -> io::Result<Self> {
        input.seek(SeekFrom::Start(0))?;
        let mut digested = Self::default();
        let mut lines = Lines::new(input, 0, options.line_cap());
        while let Some(line) = lines.next()? {
            digested.saw(&line);
        }
        Ok(digested)
    }
}

/// What the first records of a file tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The first uuid: what tells apart two files of one name.
    pub uuid: Option<String>,
    /// The session that the first records belong to, for a sub-agent that of its parent.
    pub session: Option<String>,
    /// How the session was begun.
    pub entrypoint: Option<String>,
    /// The first plausible time.
    pub first_time: Option<Instant>,
}

/// The file that is read, and how.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// How reports name it.
    pub place: &'a str,
    /// Whether it is a sub-agent's own file.
    pub sub_agent: bool,
    /// The time for blocks of a file in which there is none at all.
    pub fallback: Instant,
    /// How many bytes earlier records may bear upon later ones: [`REACH`], or less to try it out.
    pub reach: u64,
    /// The options.
    pub options: &'a Options,
}

/// Why a reading ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The file cannot be read on.
    #[error(transparent)]
    Input(#[from] io::Error),
    /// No line begins where the tail should: the file is another one.
    #[error("the file was rewritten")]
    Rewritten,
    /// The receiver wants no more.
    #[error(transparent)]
    Receiver(#[from] ConnectorError),
}

/// Reads what the first records tell, no further than needed.
///
/// # Errors
/// That of the input.
pub fn head(input: &mut (impl Read + Seek), options: &Options) -> io::Result<Head> {
    input.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::new(input, 0, options.line_cap());
    let mut head = Head::default();
    while let Some(line) = lines.next()? {
        line::each_record(&line, |_, record| {
            let Some(record) = record.known() else { return };
            let own = |text: &Option<super::record::Text<'_>>| {
                text.as_ref().map(|text| text.read().into_owned())
            };
            head.first_time = head.first_time.or_else(|| record.instant());
            if head.uuid.is_none() && record.uuid.is_some() {
                head.uuid = own(&record.uuid);
                head.session = own(&record.session_id);
                head.entrypoint = own(&record.entrypoint);
            }
        });
        if head.uuid.is_some() && head.first_time.is_some() {
            break;
        }
    }
    Ok(head)
}

/// Reads a file and hands out its blocks: all of them, or those from a tail on.
///
/// `known` is what the reading before knew; for a whole reading only its `first_time` counts. A
/// tail reading begins `reach` bytes early without handing out anything, so that both kinds of
/// reading give the same blocks. Problems before `known.extent.end` were reported then and are not again.
///
/// # Errors
/// See [`Failure`].
pub fn read(
    input: &mut (impl Read + Seek),
    source: &Source<'_>,
    known: &Known,
    tail: Option<Tail>,
    report: &mut Report,
    emit: &mut dyn FnMut(Block) -> Result<(), ConnectorError>,
) -> Result<Known, Failure> {
    let known = match tail {
        Some(_) => known.clone(),
        None => Known {
            first_time: known.first_time,
            ..Known::default()
        },
    };
    let mut reading = Reading {
        source,
        report,
        emit,
        renderer: Renderer::new(source, known.first_block),
        reported: known.extent.end,
        from: tail.map_or(Locator::default(), |tail| tail.locator),
        begun: tail.is_none_or(|tail| tail.position == 0),
        lent: false,
        replaced: false,
        known,
    };
    let position = tail.map_or(0, |tail| tail.position);
    let start = warm_up(input, position.saturating_sub(source.reach))?;
    let mut lines = Lines::new(input, start, source.options.line_cap());
    loop {
        if let Some(tail) = tail.filter(|_| !reading.begun) {
            if lines.offset() > tail.position {
                return Err(Failure::Rewritten);
            }
            if lines.offset() == tail.position {
                lines.renumber(tail.locator.record);
                reading.begun = true;
            }
        }
        let Some(line) = lines.next()? else { break };
        reading.line(&line)?;
    }
    reading.report.unknown += reading.renderer.unknown;
    reading.known.first_block = reading.renderer.first_block;
    Ok(reading.known)
}

/// Sets an input to the first line that begins at or after an offset, and tells where that is.
fn warm_up(input: &mut (impl Read + Seek), wanted: u64) -> io::Result<u64> {
    if wanted == 0 {
        return input.seek(SeekFrom::Start(0));
    }
    // From one byte before: if that is a line feed, a line begins exactly there.
    input.seek(SeekFrom::Start(wanted - 1))?;
    let mut start = wanted - 1;
    let mut reader = io::BufReader::new(&mut *input);
    loop {
        let waiting = reader.fill_buf()?;
        let (step, found) = match memchr::memchr(b'\n', waiting) {
            Some(at) => (at + 1, true),
            None => (waiting.len(), waiting.is_empty()),
        };
        reader.consume(step);
        start += u64::try_from(step).unwrap_or(0);
        if found {
            break;
        }
    }
    input.seek(SeekFrom::Start(start))
}

struct Reading<'a> {
    source: &'a Source<'a>,
    report: &'a mut Report,
    emit: &'a mut dyn FnMut(Block) -> Result<(), ConnectorError>,
    renderer: Renderer<'a>,
    known: Known,
    /// Problems on lines before this offset were reported by an earlier reading.
    reported: u64,
    /// Blocks before this one are not handed out.
    from: Locator,
    /// Whether the tail has been reached; before it lines have no numbers.
    begun: bool,
    /// Whether a lent time was named.
    lent: bool,
    /// Whether U+FFFD stands in what the present line renders to.
    replaced: bool,
}

impl Reading<'_> {
    fn line(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        let mut result = Ok(());
        let condition = line::each_record(line, |part, parsed| {
            let handed = match parsed {
                Parsed::Record(record, odd) => {
                    if *odd > 0 && self.is_fresh(line) {
                        let reason = "fields of an unexpected type were left out of this record";
                        self.report
                            .mend(self.source.place, Some(line.number + 1), reason);
                    }
                    self.record(line, part, record)
                }
                Parsed::Other => Ok(()),
            };
            if result.is_ok() {
                result = handed;
            }
        });
        result?;
        self.judge(line, condition);
        if std::mem::take(&mut self.replaced)
            && let Content::Bytes(bytes) = line.content
            && jsonl::is_lossy(bytes)
        {
            let reason = "what is no text in this record became U+FFFD";
            self.report
                .mend(self.source.place, Some(line.number + 1), reason);
        }
        self.known.extent.saw(line);
        Ok(())
    }

    fn judge(&mut self, line: &Line<'_>, condition: Condition) {
        if !self.is_fresh(line) {
            return;
        }
        let (place, number) = (self.source.place, Some(line.number + 1));
        match condition {
            Condition::Sound => {}
            Condition::Waiting => {
                let reason = "the last line is unfinished and waits for the rest of it";
                self.report.note(place, number, reason);
            }
            Condition::Controls => {
                let reason = "control bytes in this line were read as blanks";
                self.report.mend(place, number, reason);
            }
            Condition::Several => {
                let reason = "this line holds several records, all of which were read";
                self.report.mend(place, number, reason);
            }
            Condition::Garbage => {
                let reason = "this line holds no JSON object and was passed over";
                self.report.pass_over(place, number, reason);
            }
            Condition::Mixed => {
                let reason = "what stands beside the JSON objects of this line was passed over";
                self.report.pass_over(place, number, reason);
            }
            Condition::TooLong => {
                let cap = self.source.options.max_line_mb;
                let reason =
                    format!("this line is longer than {cap} MB (max_line_mb) and was passed over");
                self.report.pass_over(place, number, reason);
            }
        }
    }

    /// Whether no earlier reading has told of a line.
    fn is_fresh(&self, line: &Line<'_>) -> bool {
        self.begun && line.offset >= self.reported
    }

    /// Counts a block with another record's time, and names the first one of a file.
    fn lent_time(&mut self, line: &Line<'_>) {
        if !self.is_fresh(line) {
            return;
        }
        if self.lent {
            self.report.mended += 1;
            return;
        }
        self.lent = true;
        let reason =
            "this record has no plausible time and got a neighbour's; so may others of this file";
        self.report
            .mend(self.source.place, Some(line.number + 1), reason);
    }

    fn record(&mut self, line: &Line<'_>, part: u32, record: &Record<'_>) -> Result<(), Failure> {
        let own = record.instant();
        if let Some(instant) = own {
            self.renderer.window.saw_time(line.offset, instant);
        }
        let uuid = record.uuid.as_ref().map(|uuid| uuid.0.as_ref());
        self.known.titles.saw(record, uuid);
        if !self.known.has_cwd {
            let cwd = record.cwd.as_ref().map(|cwd| cwd.read().into_owned());
            self.known.cwd = cwd.filter(|cwd| !cwd.trim().is_empty());
            self.known.has_cwd = self.known.cwd.is_some();
        }
        let first = self.known.first_time.and_then(Instant::from_unix);
        let instant = own
            .or_else(|| self.renderer.window.last_time(line.offset))
            .or(first)
            .unwrap_or(self.source.fallback);
        let place = Place {
            offset: line.offset,
            line: line.number,
            instant,
        };
        let unknown = self.renderer.unknown;
        let pieces = self.renderer.render(record, place);
        if !self.is_fresh(line) {
            self.renderer.unknown = unknown;
        }
        let locator = Locator {
            record: line.number,
            part,
        };
        if pieces.is_empty() || !self.begun || locator < self.from {
            return Ok(());
        }
        if own.is_none() {
            self.lent_time(line);
        }
        let replaced = || pieces.iter().any(|piece| piece.text.contains('\u{fffd}'));
        self.replaced |= self.is_fresh(line) && replaced();
        let block = Block {
            locator,
            position: line.offset,
            instant,
            record_key: uuid.map(RecordKey::of),
            pieces,
        };
        (self.emit)(block).map_err(Failure::Receiver)
    }
}
