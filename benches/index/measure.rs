//! Clocks and numbers.

use std::time::Instant;

/// Seconds of CPU time that this thread has used.
pub(crate) fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Seconds of CPU time that this process has used.
pub(crate) fn process_cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What a piece of work gave, and its CPU time in seconds.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu();
    let given = work();
    (given, cpu() - before)
}

/// What a piece of work gave, and its time on the wall in seconds.
pub(crate) fn on_the_wall<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = Instant::now();
    let given = work();
    (given, before.elapsed().as_secs_f64())
}

/// The value that a share of the values lies below.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

/// Bytes that this process has handed to write calls.
pub(crate) fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.unwrap().parse().unwrap()
}

/// Megabytes of memory that this process holds.
pub(crate) fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<f64>()
        .unwrap()
        / 1024.0
}
