//! A connector's delivery, event by event: units opened, filled, closed, summarised and stored.

use jezero_connectors::{
    Block, ConnectorError, Event, Instant, Mark, Report, SourceName, Trust, UnitEnd,
};

use super::assemble::{Assembly, HELD};
use super::flight::{Flight, Flights};
use super::halt::{Halt, Words};
use super::naming::presentable;
use super::pool::{Given, Outcome, Place, Pool};
use super::run::{Options, Pipeline};
use super::settle::size;
use super::writing::{Part, write_unit};
use super::{PipelineError, RunReport};
use crate::item::ProjectName;
use crate::store::{Keep, SegmentWrite};

/// Units that may wait for their summaries at once.
const WAITING: usize = 64;

/// What has been taken of a connector's delivery so far.
pub(super) struct Delivery {
    pub(super) source: SourceName,
    pub(super) trust: Trust,
    pub(super) project: Option<ProjectName>,
    pub(super) options: Options,
    pub(super) report: RunReport,
    /// Units with something new.
    pub(super) changed: usize,
    pub(super) units: u64,
    /// When the newest stored item happened.
    pub(super) newest: Option<Instant>,
    pub(super) unit: Option<Assembly>,
    pub(super) flights: Flights,
    pub(super) pool: Pool,
    /// Why no more calls are begun.
    pub(super) halt: Halt,
}

/// What is said of segments that were not begun.
const WORDS: Words = Words {
    told: "told to end; the next run goes on from here",
    spent: "daily_input_chars is used up; the rest waits for tomorrow's run",
    denied: "the key was refused again and again, so the rest was not asked for; mend the key, then \
             run again",
};

impl Delivery {
    /// Whether the next event should be taken.
    pub(super) fn has_room(&self) -> bool {
        self.pool.has_room() && self.flights.count() < WAITING && !self.is_enough()
    }

    /// Whether as much has been read as this run is to read.
    pub(super) fn is_enough(&self) -> bool {
        self.halt.is_out()
            || self
                .options
                .limit
                .is_some_and(|limit| self.changed >= limit)
    }

    /// Takes one event.
    pub(super) async fn take(
        &mut self,
        event: Event,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        match event {
            Event::Start(start) => {
                let Some(start) = presentable(start, pipeline.engine) else {
                    return Ok(());
                };
                while let Some(unit) = self.flights.of_name(&start) {
                    self.land(unit, pipeline).await?;
                }
                let source = pipeline.store.known_source(&self.source)?;
                let room = HELD.saturating_sub(self.flights.held());
                let limits = (pipeline.max_input_chars, room);
                self.unit = Some(Assembly::open(start, source, limits, pipeline.store)?);
            }
            Event::Blocks(blocks) => {
                for block in &blocks {
                    self.push(block, pipeline).await?;
                }
            }
            Event::End(end) => {
                if let Some(unit) = self.unit.take() {
                    self.close(unit, end, pipeline).await?;
                }
            }
            Event::Abandoned => {
                if let Some(unit) = self.unit.take() {
                    unit.put_back(pipeline.store)?;
                }
            }
            Event::Marks(marks) => self.keep(&marks, Keep::Value, pipeline)?,
        }
        Ok(())
    }

    async fn push(
        &mut self,
        block: &Block,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        if self.unit.is_none() {
            return Ok(());
        }
        // Whose record it is shows once the unit that brought it first is stored.
        if let Some(unit) = block.record_key.and_then(|key| self.flights.of_record(key)) {
            self.land(unit, pipeline).await?;
        }
        match &mut self.unit {
            Some(unit) => unit.push(block, pipeline.engine, pipeline.store),
            None => Ok(()),
        }
    }

    fn keep(
        &self,
        marks: &[Mark],
        keep: Keep,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        if self.options.dry_run || marks.is_empty() {
            return Ok(());
        }
        let keep = if self.options.sample.is_some() {
            Keep::Identity
        } else {
            keep
        };
        let source = pipeline.store.source(&self.source)?;
        let layout = pipeline.max_input_chars;
        pipeline.store.keep_marks(source, marks, layout, keep)?;
        Ok(())
    }

    async fn close(
        &mut self,
        mut unit: Assembly,
        end: UnitEnd,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        self.units += 1;
        unit.finish(pipeline.store)?;
        self.report.records_owned_elsewhere += unit.elsewhere;
        self.report.records_repeated += unit.repeated;
        self.report.records_passed_over += unit.disordered;
        let too_short = unit.stored.is_none() && unit.chars < unit.start.min_chars;
        if unit.sealed.is_empty() || too_short {
            if unit.sealed.is_empty() {
                self.report.units_left_out += 1;
            } else {
                self.report.units_too_short += 1;
            }
            if let Some(stored) = unit.stored.as_ref().filter(|_| !self.options.dry_run) {
                let (id, original_ref) = (&unit.start.id, &unit.start.original_ref);
                pipeline.store.rename_unit(stored.row, id, original_ref)?;
            }
            // Nothing of it is stored by this reading, so the next one has nothing to begin at.
            self.keep(&end.marks, Keep::All(None), pipeline)?;
            return unit.put_back(pipeline.store);
        }
        let settled = self.settle(&unit, &end, pipeline)?;
        self.changed += usize::from(!settled.wanted.is_empty());
        if self.options.dry_run {
            let wanted = settled.wanted.iter().filter_map(|at| unit.sealed.get(*at));
            wanted.for_each(|sealed| self.report.would_ask(size(sealed)));
            return unit.put_back(pipeline.store);
        }
        let wanted = settled.wanted.clone();
        let flight = Flight {
            unit,
            end,
            settled,
            calls: wanted.len(),
        };
        let number = self.flights.add(flight);
        for segment in wanted {
            let unit = number;
            self.pool.queue(Place { unit, segment });
        }
        let is_done = self.flights.get(number).is_some_and(|it| it.calls == 0);
        if is_done {
            self.store(number, pipeline)?;
        } else if !pipeline.summarizer.costs() {
            // Nothing is gained by waiting for one that only computes, and items are numbered in
            // the order in which they were read.
            self.land(number, pipeline).await?;
        }
        Ok(())
    }

    /// Waits until a unit is stored.
    async fn land(
        &mut self,
        number: u64,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        let given_up = pipeline.stop.clone().given_up();
        tokio::pin!(given_up);
        while self.flights.get(number).is_some() {
            self.feed(pipeline)?;
            let ended = tokio::select! {
                biased;
                () = &mut given_up => {
                    // What waits for this one is read again by the next run, as this one is.
                    self.halt.tell();
                    self.unit = None;
                    self.flights.remove(number);
                    return Ok(());
                }
                ended = self.pool.ended() => ended,
            };
            match ended {
                Some(ended) => self.arrive(ended, pipeline)?,
                // Cannot be: a unit waits only while calls are under way. Storing it is right then.
                None => self.store(number, pipeline)?,
            }
        }
        Ok(())
    }

    /// Begins as many calls as there is room for.
    pub(super) fn feed(&mut self, pipeline: &mut Pipeline<'_>) -> Result<(), PipelineError> {
        while let Some(place) = self.pool.next() {
            let given = match self.flights.get(place.unit) {
                Some(flight) => {
                    let (unit, settled) = (&flight.unit, &flight.settled);
                    self.given(unit, settled, place.segment, pipeline)?
                }
                None => None,
            };
            let Some(given) = given else {
                let broken = Err(crate::summarizer::SummarizerError::Broken);
                self.arrive((place, None, broken), pipeline)?;
                continue;
            };
            let chars = u64::try_from(given.text.chars()).unwrap_or(u64::MAX);
            if !self.halt.lets(chars, pipeline)? {
                self.postpone(place, pipeline)?;
                continue;
            }
            self.report.input_chars += chars;
            let summarizer = std::sync::Arc::clone(&pipeline.summarizer);
            self.pool.begin(place, given, summarizer);
        }
        Ok(())
    }

    /// Leaves a call, and all that have not begun, for another run.
    fn postpone(&mut self, place: Place, pipeline: &mut Pipeline<'_>) -> Result<(), PipelineError> {
        let waiting = self.pool.take_back();
        for place in std::iter::once(place).chain(waiting) {
            self.report.postponed += 1;
            self.done(place, None, pipeline)?;
        }
        Ok(())
    }

    /// Takes the end of a call.
    pub(super) fn arrive(
        &mut self,
        (place, given, outcome): (Place, Option<Given>, Outcome),
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        self.halt.hear(&outcome);
        let Some(flight) = self.flights.take(place.unit) else {
            return Ok(());
        };
        let (unit, settled) = (&flight.unit, &flight.settled);
        let write = self.summarised(unit, settled, place.segment, (given, outcome), pipeline);
        self.flights.put(place.unit, flight);
        self.done(place, write, pipeline)
    }

    /// Notes that nothing more comes for a segment; stores the unit after its last one.
    fn done(
        &mut self,
        place: Place,
        write: Option<SegmentWrite>,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        let Some(flight) = self.flights.get_mut(place.unit) else {
            return Ok(());
        };
        flight.calls = flight.calls.saturating_sub(1);
        let paid = write.is_some() && pipeline.summarizer.costs();
        match write {
            Some(write) => flight.settled.segments.push(write),
            None => flight.settled.failed = true,
        }
        if flight.calls == 0 {
            self.store(place.unit, pipeline)
        } else if paid {
            self.checkpoint(place.unit, pipeline)
        } else {
            Ok(())
        }
    }

    /// Stores what has come so far of a unit that still waits, so that a kill loses no reply.
    fn checkpoint(
        &mut self,
        number: u64,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        let Some(flight) = self.flights.get_mut(number) else {
            return Ok(());
        };
        let segments = std::mem::take(&mut flight.settled.segments);
        self.report.written(write_unit(
            &self.source,
            self.options,
            flight,
            segments,
            Part::Some,
            pipeline,
        )?);
        Ok(())
    }

    /// Stores a unit and forgets it.
    fn store(&mut self, number: u64, pipeline: &mut Pipeline<'_>) -> Result<(), PipelineError> {
        let Some(mut flight) = self.flights.remove(number) else {
            return Ok(());
        };
        let segments = std::mem::take(&mut flight.settled.segments);
        self.report.written(write_unit(
            &self.source,
            self.options,
            &mut flight,
            segments,
            Part::All,
            pipeline,
        )?);
        flight.unit.put_back(pipeline.store)?;
        if let Some(unit) = &mut self.unit
            && unit.source.is_none()
        {
            unit.source = pipeline.store.known_source(&self.source)?;
        }
        Ok(())
    }

    /// Ends: the whole report, and when the newest stored item happened.
    pub(super) fn finish(
        mut self,
        pipeline: &Pipeline<'_>,
        (report, result): (Report, Result<(), ConnectorError>),
    ) -> (RunReport, Option<Instant>) {
        self.report.take(&report, pipeline.engine);
        match result {
            Ok(()) | Err(ConnectorError::Stopped) => {}
            Err(error) => {
                self.report.unreachable = matches!(error, ConnectorError::Unreachable { .. });
                let text = pipeline.engine.redact(&error.to_string());
                self.report.error(text);
            }
        }
        self.report.note = self.halt.note(&WORDS);
        (self.report, self.newest)
    }
}
