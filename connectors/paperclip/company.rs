//! What stands before the first task: what server it is, and which companies are to be read.

use std::collections::BTreeSet;

use super::options::Options;
use super::record::Record;
use super::server::{HEALTH, Server, Trouble};
use super::version::Abilities;
use crate::error::ConnectorError;
use crate::http::HttpError;
use crate::report::Report;

/// Greets the server.
///
/// # Errors
/// [`ConnectorError::Unreachable`] when nobody answers or the server is not ready yet,
/// [`ConnectorError::Refused`] when what answers is no Paperclip.
pub(super) async fn greet(server: &Server) -> Result<Abilities, ConnectorError> {
    let body = match server.get_openly(HEALTH).await {
        Ok(body) => body,
        Err(trouble) => return Err(ended(server, HEALTH, trouble)),
    };
    let Some(mut health) = Record::parse(&body.text).filter(|health| health.has("status")) else {
        return Err(ConnectorError::Refused {
            place: server.request(HEALTH),
            message: "what answers is no Paperclip: api_url must lead to the API, such as \
                      http://127.0.0.1:3100/api"
                .to_owned(),
        });
    };
    if health.text("status").as_deref() == Some("starting") {
        return Err(ConnectorError::Unreachable {
            place: server.place(),
            cause: "the server is still starting; run again in a minute".to_owned(),
        });
    }
    Ok(Abilities::of(health.text("version").as_deref()))
}

/// A trouble at a place without which nothing can be read.
pub(super) fn ended(server: &Server, path: &str, trouble: Trouble) -> ConnectorError {
    match trouble {
        Trouble::Fatal(error) => error,
        Trouble::Silent(error) => {
            let cause = match error {
                HttpError::Unreachable { cause } => cause,
                error => error.to_string(),
            };
            ConnectorError::Unreachable {
                place: server.place(),
                cause: format!("{cause}; is it running, and is api_url right?"),
            }
        }
        Trouble::Failing(status @ (502..=504)) => ConnectorError::Unreachable {
            place: server.place(),
            cause: format!("it answers {status}; is it running behind its proxy?"),
        },
        trouble => ConnectorError::Refused {
            place: server.request(path),
            message: trouble.words(),
        },
    }
}

/// The ids of the companies to read, in a stable order.
///
/// A company that is configured and that the key does not see is reported: the server itself would
/// answer as if it had no tasks.
///
/// # Errors
/// When the server does not say which companies there are.
pub(super) async fn companies(
    server: &Server,
    options: &Options,
    report: &mut Report,
) -> Result<Vec<String>, ConnectorError> {
    let (path, seen) = match seen(server, "/companies", report).await {
        // A key of an agent, which has one company.
        Err(Trouble::Forbidden) => ("/agents/me", own(server).await),
        other => ("/companies", other),
    };
    let seen = seen.map_err(|trouble| ended(server, path, trouble))?;
    if options.company_ids.is_empty() {
        if seen.is_empty() {
            report.note(
                &server.request(path),
                None,
                "there is no company that this key sees, so there is nothing to read",
            );
        }
        return Ok(seen.into_iter().collect());
    }
    let wanted: BTreeSet<String> = (options.company_ids.iter())
        .map(|id| id.to_ascii_lowercase())
        .collect();
    let (known, unknown): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|id| seen.contains(id));
    for id in unknown {
        report.fail(
            &format!("company {id}"),
            "the key does not see it: see company_ids and the rights of the key's user",
        );
    }
    Ok(known)
}

async fn seen(
    server: &Server,
    path: &str,
    report: &mut Report,
) -> Result<BTreeSet<String>, Trouble> {
    let body = server.get(path).await?;
    let list = Record::list_of(&body.text)
        .ok_or(Trouble::Unreadable("is no list or only a part of one"))?;
    let mut ids = BTreeSet::new();
    for json in list {
        match Record::parse(json).and_then(|mut company| company.id("id")) {
            Some(id) => drop(ids.insert(id.to_ascii_lowercase())),
            None => report.pass_over(&server.request(path), None, "a company without an id"),
        }
    }
    Ok(ids)
}

async fn own(server: &Server) -> Result<BTreeSet<String>, Trouble> {
    let body = server.get("/agents/me").await?;
    let agent = Record::parse(&body.text);
    let id = agent.and_then(|mut agent| agent.id("companyId"));
    let id = id.ok_or(Trouble::Unreadable("names no company"))?;
    Ok(BTreeSet::from([id.to_ascii_lowercase()]))
}
