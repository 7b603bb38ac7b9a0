//! Units whose summaries are under way.
//!
//! A unit is read, compared and then waits here for its calls, while the next ones are read. What
//! it brings is claimed for it until it is stored, so that a fork or a second reading of the same
//! unit waits for it and finds the library as if units were stored one after the other.

use std::collections::{BTreeMap, HashMap};

use jezero_connectors::{RecordKey, UnitEnd, UnitId, UnitStart};

use super::assemble::Assembly;
use super::settle::Settled;

/// A unit that waits for calls.
pub(super) struct Flight {
    pub(super) unit: Assembly,
    pub(super) end: UnitEnd,
    pub(super) settled: Settled,
    /// Calls that have not ended.
    pub(super) calls: usize,
}

/// All units that wait, by their number in this run.
#[derive(Default)]
pub(super) struct Flights {
    next: u64,
    units: BTreeMap<u64, Flight>,
    records: HashMap<RecordKey, u64>,
    names: HashMap<UnitId, u64>,
}

impl Flights {
    /// Lets a unit wait; returns its number.
    pub(super) fn add(&mut self, flight: Flight) -> u64 {
        let number = self.next;
        self.next += 1;
        let start = &flight.unit.start;
        for name in std::iter::once(&start.id).chain(&start.formerly) {
            self.names.insert(name.clone(), number);
        }
        for (key, _) in &flight.unit.owned {
            self.records.entry(*key).or_insert(number);
        }
        self.units.insert(number, flight);
        number
    }

    pub(super) fn get(&self, number: u64) -> Option<&Flight> {
        self.units.get(&number)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Flight> {
        self.units.get_mut(&number)
    }

    /// Takes a unit out for a moment; its claims stand.
    pub(super) fn take(&mut self, number: u64) -> Option<Flight> {
        self.units.remove(&number)
    }

    /// Puts a unit back that was taken out.
    pub(super) fn put(&mut self, number: u64, flight: Flight) {
        self.units.insert(number, flight);
    }

    /// Takes a unit out for good, with its claims.
    pub(super) fn remove(&mut self, number: u64) -> Option<Flight> {
        let flight = self.units.remove(&number)?;
        self.names.retain(|_, unit| *unit != number);
        for (key, _) in &flight.unit.owned {
            if self.records.get(key) == Some(&number) {
                self.records.remove(key);
            }
        }
        Some(flight)
    }

    pub(super) fn count(&self) -> usize {
        self.units.len()
    }

    /// Bytes of compressed text that all of them hold in memory.
    pub(super) fn held(&self) -> usize {
        self.units.values().map(|flight| flight.unit.held()).sum()
    }

    /// The unit that brings a record.
    pub(super) fn of_record(&self, key: RecordKey) -> Option<u64> {
        self.records.get(&key).copied()
    }

    /// A unit that is or was called as this one is or was.
    pub(super) fn of_name(&self, start: &UnitStart) -> Option<u64> {
        let mut names = std::iter::once(&start.id).chain(&start.formerly);
        names.find_map(|name| self.names.get(name).copied())
    }
}
