//! The text form of Prometheus: metrics with their samples.

use std::fmt::Display;

/// Metrics as text.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

/// What kind of number a metric is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// It only rises while the program runs, or for as long as the library is.
    Counter,
    /// It rises and falls.
    Gauge,
}

impl Exposition {
    /// Begins a metric.
    pub(super) fn metric(&mut self, kind: Kind, name: &str, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Adds a sample of the metric begun last. Label values are words of the program or names without
    /// quotes, backslashes and line breaks.
    pub(super) fn sample(
        &mut self,
        name: &str,
        labels: &[(&str, &dyn Display)],
        value: impl Display,
    ) {
        self.write(format_args!("{name}"));
        for (at, (label, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            self.write(format_args!("{before}{label}=\"{text}\""));
        }
        let after = if labels.is_empty() { "" } else { "}" };
        self.write(format_args!("{after} {value}\n"));
    }

    /// All of it.
    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.push_str(&text.to_string());
    }
}
