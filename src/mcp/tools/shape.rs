//! Making an answer smaller on request: `fields` keeps some keys of each item, `max_tokens` ends a
//! list early and says how much it left off.

use serde_json::{Map, Value, json};

use super::ToolError;
use super::arguments::Arguments;

/// The documented keys of an item, in their order.
pub(super) const ITEM_FIELDS: [&str; 12] = [
    "id",
    "source",
    "external_id",
    "occurred_at",
    "title",
    "summary",
    "questions",
    "atoms",
    "project",
    "account",
    "original_ref",
    "trust",
];
/// The key that says how many items a budget left off.
pub(super) const TRUNCATED: &str = "truncated";

/// How an answer is to be cut down.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    fields: Option<Vec<&'static str>>,
    max_tokens: Option<usize>,
}

impl Shape {
    /// Reads `fields` and `max_tokens`; `more` are the fields beside those of an item.
    pub(super) fn read(arguments: Arguments<'_>, more: &[&'static str]) -> Result<Self, ToolError> {
        let mut known = ITEM_FIELDS.to_vec();
        known.extend(more);
        let budget = arguments.integer("max_tokens")?.filter(|most| *most > 0);
        Ok(Self {
            fields: arguments
                .words("fields", &known)?
                .filter(|fields| !fields.is_empty()),
            max_tokens: budget.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
        })
    }

    /// Whether a field was asked for by name.
    pub(super) fn names(&self, field: &str) -> bool {
        self.fields
            .as_ref()
            .is_some_and(|fields| fields.contains(&field))
    }

    /// Keeps the wanted keys of an item, `id` always, in the order that they have.
    pub(super) fn keep(&self, item: &mut Value) {
        if let (Some(fields), Value::Object(item)) = (&self.fields, item) {
            item.retain(|key, _| key == "id" || fields.contains(&key.as_str()));
        }
    }

    /// Cuts the list `list` of an answer down, and sets `count` to what is left.
    pub(super) fn apply(&self, answer: &mut Value, list: &str) {
        let Value::Object(answer) = answer else {
            return;
        };
        let Some(Value::Array(items)) = answer.get_mut(list) else {
            return;
        };
        items.iter_mut().for_each(|item| self.keep(item));
        let before = items.len();
        if let Some(budget) = self.max_tokens {
            items.truncate(within(budget, items));
        }
        let left = items.len();
        if self.max_tokens.is_some() || self.names(TRUNCATED) {
            answer.insert("count".to_owned(), json!(left));
            answer.insert(TRUNCATED.to_owned(), json!(before - left));
        }
    }
}

/// How many items fit into a budget: at least one.
fn within(budget: usize, items: &[Value]) -> usize {
    let mut used = 0_usize;
    let fits = |item: &&Value| {
        used = used.saturating_add(tokens(&format!("{item:#}")));
        used <= budget
    };
    items.iter().take_while(fits).count().max(1)
}

/// About how many tokens a text is: four ASCII characters, or one other, each.
fn tokens(text: &str) -> usize {
    let (ascii, others) = text.chars().fold((0, 0), |(ascii, others), c| {
        if c.is_ascii() {
            (ascii + 1, others)
        } else {
            (ascii, others + 1)
        }
    });
    usize::div_ceil(ascii, 4) + others
}

/// Adds a key behind all others.
pub(super) fn add(answer: &mut Value, key: &str, value: Value) {
    if let Value::Object(answer) = answer {
        answer.insert(key.to_owned(), value);
    }
}

/// The schemas of `fields` and `max_tokens`.
pub(super) fn fields_schema(more: &[&str]) -> Value {
    let mut names = ITEM_FIELDS.to_vec();
    names.extend(more);
    json!({
        "type": "array",
        "items": {"type": "string", "enum": names},
        "description": "Which fields of the items to return, to keep the answer small, for example \
                        [\"title\", \"occurred_at\"]; `id` always comes. Default: all documented \
                        ones. Names besides those of an item add to it.",
    })
}

pub(super) fn max_tokens_schema() -> Value {
    json!({
        "type": "integer",
        "description": "About how many tokens the items may take, 1 or more, for example 2000: the \
                        list ends early, with one item at least, and `truncated` says how many were \
                        left off. Default: no bound.",
    })
}

/// What these two add to an answer.
pub(super) fn outputs() -> Map<String, Value> {
    let truncated = "With max_tokens: how many items were left off.";
    let mut outputs = Map::new();
    outputs.insert(TRUNCATED.to_owned(), super::schema::integer(truncated));
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_keeps_one_item_at_least() {
        let items = [json!("a".repeat(38)), json!("é".repeat(20)), json!("c")];
        assert_eq!(within(1, &items), 1);
        assert_eq!(within(10, &items), 1);
        assert_eq!(within(31, &items), 2);
        assert_eq!(within(32, &items), 3);
        assert_eq!(within(1, &[]), 1);
    }
}
