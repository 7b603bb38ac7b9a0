//! Reads a reply: its types, strictly where a wrong guess would invent something, leniently where
//! models differ in habits.
//!
//! Accepted beside the schema: lists written as JSON texts or as lines, atoms as `kind: text`, a
//! missing or null list as an empty one, `null` or `none` as no project. Counts, lengths and kinds
//! are the business of [`accept`](crate::summarizer::accept), which costs a field and not the reply.

use serde_json::{Map, Value};

use super::schema::{Form, PROJECT};
use super::{Said, find};
use crate::item::AtomKind;
use crate::summarizer::Reply;
use crate::summarizer::accept::is_visible;

/// Which rule a reply breaks, in words that a model understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// There is none in it.
    #[error("it holds no JSON object with the keys title, summary, questions, atoms and project")]
    NoObject,
    /// There is none of the project in it.
    #[error("it holds no JSON object with the key project")]
    NoProject,
    /// A text is absent, empty or of another type.
    #[error("{0} must be a text that is not empty")]
    Text(&'static str),
    /// A list is of another type.
    #[error("{0} must be a list")]
    List(&'static str),
    /// Something in the questions.
    #[error("each of the questions must be a text")]
    Question,
    /// Something in the atoms.
    #[error("each of the atoms must be an object with the texts kind and text")]
    Atom,
    /// The project.
    #[error("project must be a text or null")]
    Project,
}

/// Reads what a model said.
pub(super) fn read(form: &Form, said: &Said) -> Result<Reply, Flaw> {
    let none = match form == &PROJECT {
        true => Flaw::NoProject,
        false => Flaw::NoObject,
    };
    let found;
    let fields = match said {
        Said::Fields(Value::Object(fields)) => fields,
        Said::Fields(_) => return Err(none),
        Said::Text(text) => {
            found = find::object(form, text).ok_or(none)?;
            &found
        }
    };
    if !form.is_in(fields) {
        return Err(none);
    }
    if form == &PROJECT {
        return Ok(Reply {
            project: project(fields)?,
            ..Reply::default()
        });
    }
    Ok(Reply {
        title: text(fields, "title")?,
        summary: text(fields, "summary")?,
        questions: questions(fields)?,
        atoms: atoms(fields)?,
        project: project(fields)?,
    })
}

fn text(fields: &Map<String, Value>, key: &'static str) -> Result<String, Flaw> {
    let text = fields.get(key).and_then(Value::as_str);
    let text = text.filter(|text| is_visible(text));
    Ok(text.ok_or(Flaw::Text(key))?.to_owned())
}

/// A list, also one that was written as a text.
fn list(fields: &Map<String, Value>, key: &'static str) -> Result<Vec<Value>, Flaw> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list.clone()),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(list)) => Ok(list),
            _ => Ok(lines(text)),
        },
        Some(_) => Err(Flaw::List(key)),
    }
}

/// A list written as lines, with or without bullets.
fn lines(text: &str) -> Vec<Value> {
    let bare = text.lines().map(|line| {
        let line = line.trim();
        let bullet = line
            .strip_prefix("- ")
            .or_else(|| line.strip_prefix("* "))
            .or_else(|| {
                let (number, rest) = line.split_once(". ")?;
                number
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
                    .then_some(rest)
            });
        bullet.unwrap_or(line)
    });
    bare.filter(|line| !line.is_empty())
        .map(Value::from)
        .collect()
}

fn questions(fields: &Map<String, Value>) -> Result<Vec<String>, Flaw> {
    let list = list(fields, "questions")?.into_iter();
    list.map(|one| match one {
        Value::String(text) => Ok(text),
        _ => Err(Flaw::Question),
    })
    .collect()
}

fn atoms(fields: &Map<String, Value>) -> Result<Vec<(String, String)>, Flaw> {
    let list = list(fields, "atoms")?.into_iter();
    list.map(|one| match one {
        Value::Object(atom) => {
            let field = |key| atom.get(key).and_then(Value::as_str).map(str::to_owned);
            field("kind").zip(field("text")).ok_or(Flaw::Atom)
        }
        Value::String(text) => labelled(&text).ok_or(Flaw::Atom),
        _ => Err(Flaw::Atom),
    })
    .collect()
}

/// `kind: text`, if the kind is one.
fn labelled(text: &str) -> Option<(String, String)> {
    let (kind, rest) = text.split_once(':')?;
    let kind = kind
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    kind.parse::<AtomKind>().ok()?;
    Some((kind, rest.trim().to_owned()))
}

fn project(fields: &Map<String, Value>) -> Result<Option<String>, Flaw> {
    match fields.get("project") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => {
            let none = ["", "null", "none", "unknown", "n/a"];
            let name = name.trim();
            let told = !none.contains(&name.to_lowercase().as_str());
            Ok(told.then(|| name.to_owned()))
        }
        Some(_) => Err(Flaw::Project),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::schema::SUMMARY;
    use super::*;

    fn read_fields(change: impl FnOnce(&mut Map<String, Value>)) -> Result<Reply, Flaw> {
        let mut fields = json!({
            "title": "t",
            "summary": "s",
            "questions": ["q?"],
            "atoms": [{"kind": "fact", "text": "f"}],
            "project": "shop",
        });
        change(fields.as_object_mut().unwrap());
        read(&SUMMARY, &Said::Fields(fields))
    }

    fn with(key: &str, value: Value) -> Result<Reply, Flaw> {
        read_fields(|fields| {
            fields.insert(key.to_owned(), value);
        })
    }

    #[test]
    fn a_reply_of_the_schema_is_read_whole() {
        let reply = read_fields(|_| {}).unwrap();
        assert_eq!(
            reply,
            Reply {
                title: "t".to_owned(),
                summary: "s".to_owned(),
                questions: vec!["q?".to_owned()],
                atoms: vec![("fact".to_owned(), "f".to_owned())],
                project: Some("shop".to_owned()),
            }
        );
    }

    #[test]
    fn wrong_types_are_flaws_that_name_the_field() {
        for (key, value, flaw) in [
            ("title", json!(3), Flaw::Text("title")),
            ("title", json!(" \u{200b}"), Flaw::Text("title")),
            ("summary", json!(["a"]), Flaw::Text("summary")),
            ("summary", Value::Null, Flaw::Text("summary")),
            ("questions", json!({"a": 1}), Flaw::List("questions")),
            ("questions", json!([1]), Flaw::Question),
            ("atoms", json!(true), Flaw::List("atoms")),
            ("atoms", json!([["fact", "f"]]), Flaw::Atom),
            ("atoms", json!([{"kind": "fact"}]), Flaw::Atom),
            ("atoms", json!(["no label"]), Flaw::Atom),
            ("project", json!(7), Flaw::Project),
        ] {
            assert_eq!(with(key, value.clone()), Err(flaw), "{key}: {value}");
        }
        for said in [
            Said::Fields(json!([1])),
            Said::Fields(json!({"project": "shop"})),
            Said::Text("{\"a\": 1}".to_owned()),
        ] {
            assert_eq!(read(&SUMMARY, &said), Err(Flaw::NoObject));
        }
        assert_eq!(
            Flaw::Text("title").to_string(),
            "title must be a text that is not empty"
        );
    }

    #[test]
    fn a_reply_about_the_project_alone_is_read_without_the_rest() {
        let project = |said: Said| read(&PROJECT, &said).map(|reply| reply.project);
        let shop = Ok(Some("shop".to_owned()));
        assert_eq!(project(Said::Fields(json!({"project": "shop"}))), shop);
        let fenced = "```json\n{\"project\": \"shop\"}\n```";
        assert_eq!(project(Said::Text(fenced.to_owned())), shop);
        assert_eq!(project(Said::Fields(json!({"project": null}))), Ok(None));
        assert_eq!(
            project(Said::Fields(json!({"project": 7}))),
            Err(Flaw::Project)
        );
        for said in [
            Said::Fields(json!({"title": "t"})),
            Said::Text("shop".to_owned()),
        ] {
            assert_eq!(project(said), Err(Flaw::NoProject));
        }
    }

    #[test]
    fn habits_of_models_are_understood() {
        let two = vec!["a?".to_owned(), "b?".to_owned()];
        for questions in [
            json!("[\"a?\", \"b?\"]"),
            json!("- a?\n- b?\n"),
            json!("1. a?\n2. b?"),
        ] {
            assert_eq!(with("questions", questions.clone()).unwrap().questions, two);
        }
        let atoms = vec![("error".to_owned(), "fatal: bad object".to_owned())];
        for said in [
            json!("[{\"kind\": \"error\", \"text\": \"fatal: bad object\"}]"),
            json!(["error: fatal: bad object"]),
            json!(["**Error**: fatal: bad object"]),
            json!("- error: fatal: bad object"),
        ] {
            assert_eq!(with("atoms", said.clone()).unwrap().atoms, atoms, "{said}");
        }
        for key in ["questions", "atoms"] {
            assert!(with(key, Value::Null).is_ok());
            assert!(read_fields(|fields| drop(fields.remove(key))).is_ok());
        }
        for none in [json!(null), json!(""), json!("None"), json!("unknown")] {
            assert_eq!(with("project", none).unwrap().project, None);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}\\[\\]\":,a-z</>\\\\ \n\u{e9}]{0,200}") {
            let record = json!({"title": text, "summary": text}).to_string();
            let wrapped = format!("{text}\n{record}\n{text}");
            // What is refused is refused with a reason, and nothing is made up.
            if let Ok(reply) = read(&SUMMARY, &Said::Text(wrapped.clone())) {
                proptest::prop_assert!(is_visible(&reply.title), "{wrapped}");
            }
            proptest::prop_assert!(read(&SUMMARY, &Said::Text(text)).is_err());
        }
    }
}
