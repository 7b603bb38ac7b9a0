//! `[search]`: limits and ranking.

use super::reading::Section;

/// Settings of searching.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Results of a search that asks for no number.
    pub default_limit: usize,
    /// Most results of any question.
    pub max_limit: usize,
    /// How many of the best matches are ranked again by age.
    pub candidate_pool: usize,
    /// Age at which the share of recency is halved.
    pub recency_half_life_days: f64,
    /// Share of recency in a score, 0 to 1.
    pub recency_weight: f64,
    /// Whether terms of two characters match whole words; without it they are dropped.
    pub short_terms: bool,
    /// Whether the redacted originals are indexed too.
    pub originals: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            default_limit: 10,
            max_limit: 50,
            candidate_pool: 200,
            recency_half_life_days: 90.0,
            recency_weight: 0.3,
            short_terms: false,
            originals: true,
        }
    }
}

impl Search {
    pub(super) const KEYS: &[&str] = &[
        "default_limit",
        "max_limit",
        "candidate_pool",
        "recency_half_life_days",
        "recency_weight",
        "short_terms",
        "originals",
    ];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let standard = Self::default();
        let count = |key, from, to, standard| {
            let number = section.integer(key, from..=to);
            number.map_or(standard, |number| {
                usize::try_from(number).unwrap_or(standard)
            })
        };
        let weight = section.number("recency_weight", "a number from 0 to 1", |number| {
            (0.0..=1.0).contains(&number)
        });
        let search = Self {
            default_limit: count("default_limit", 1, 100, standard.default_limit),
            max_limit: count("max_limit", 1, 500, standard.max_limit),
            candidate_pool: count("candidate_pool", 10, 5000, standard.candidate_pool),
            recency_half_life_days: section
                .positive("recency_half_life_days")
                .unwrap_or(standard.recency_half_life_days),
            recency_weight: weight.unwrap_or(standard.recency_weight),
            short_terms: section.flag("short_terms").unwrap_or(standard.short_terms),
            originals: section.flag("originals").unwrap_or(standard.originals),
        };
        search.check(section);
        search
    }

    fn check(&self, section: &Section<'_>) {
        let (default_limit, max_limit) = (self.default_limit, self.max_limit);
        if default_limit > max_limit {
            let key = if section.has("default_limit") {
                "default_limit"
            } else {
                "max_limit"
            };
            let message = format!(
                "default_limit ({default_limit}) must not be above max_limit ({max_limit})"
            );
            section.reject(key, message);
        }
    }
}
