//! How those who write in tasks are called.

use std::collections::HashMap;

use super::options::Options;
use super::record::Record;
use super::server::{Server, Trouble};
use crate::report::Report;

/// Characters kept of a name.
const NAME: usize = 80;
/// The user that a server without logins has.
const BOARD: &str = "local-board";

/// Who wrote something, by the server's ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Author {
    pub(super) agent: Option<String>,
    pub(super) user: Option<String>,
}

impl Author {
    /// Reads an author from the first of the fields that names one: agents before users, since
    /// agents' texts are stored under the user whose key they had.
    pub(super) fn read(
        record: &mut Record<'_>,
        agents: &[&'static str],
        users: &[&'static str],
    ) -> Self {
        let mut first = |names: &[&'static str]| names.iter().find_map(|name| record.word(name));
        let agent = first(agents);
        let user = match agent {
            Some(_) => None,
            None => first(users),
        };
        Self { agent, user }
    }

    /// Whether anybody is named.
    pub(super) fn is_known(&self) -> bool {
        self.agent.is_some() || self.user.is_some()
    }
}

/// A project as the server shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Project {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) url_key: Option<String>,
}

impl Project {
    pub(super) fn read(record: &mut Record<'_>) -> Option<Self> {
        Some(Self {
            id: record.id("id")?,
            name: record.word("name").map(|name| presentable(&name)),
            url_key: record.word("urlKey"),
        })
    }
}

/// The names of one company.
#[derive(Debug, Default)]
pub(super) struct Directory {
    agents: HashMap<String, String>,
    users: HashMap<String, String>,
    projects: HashMap<String, Project>,
    board: String,
}

impl Directory {
    /// Asks for the names of a company. What the key may not see has no names, and is called by the
    /// beginning of its id.
    ///
    /// # Errors
    /// When the server fails: with names missing for the moment, every text would change and change
    /// back.
    pub(super) async fn load(
        server: &Server,
        company: &str,
        options: &Options,
        report: &mut Report,
    ) -> Result<Self, (String, Trouble)> {
        let mut directory = Self {
            board: options.board_name.trim().to_owned(),
            ..Self::default()
        };
        let mut lost = Vec::new();
        for route in ["agents", "projects", "user-directory"] {
            let path = format!("/companies/{company}/{route}");
            let body = match server.get(&path).await {
                Ok(body) => body,
                Err(Trouble::Forbidden | Trouble::NoRoute | Trouble::Gone) => {
                    lost.push(route);
                    continue;
                }
                Err(trouble) => return Err((path, trouble)),
            };
            let unreadable = || {
                (
                    path.clone(),
                    Trouble::Unreadable("is no list or only a part of one"),
                )
            };
            let list = match route {
                "user-directory" => {
                    let mut record = Record::parse(&body.text).ok_or_else(unreadable)?;
                    record.objects("users")
                }
                _ => {
                    let list = Record::list_of(&body.text).ok_or_else(unreadable)?;
                    list.into_iter().filter_map(Record::parse).collect()
                }
            };
            for mut record in list {
                directory.take(route, &mut record);
            }
        }
        if !lost.is_empty() {
            report.note(
                &server.request(&format!("/companies/{company}")),
                None,
                format!(
                    "the key does not see {}: names from there are shortened ids",
                    lost.join(", ")
                ),
            );
        }
        Ok(directory)
    }

    fn take(&mut self, route: &str, record: &mut Record<'_>) {
        match route {
            "agents" => {
                if let (Some(id), Some(name)) = (record.id("id"), record.word("name")) {
                    self.agents.insert(id, presentable(&name));
                }
            }
            "projects" => {
                if let Some(project) = Project::read(record) {
                    self.projects.insert(project.id.clone(), project);
                }
            }
            _ => {
                let user = record.object("user");
                let name = user.and_then(|mut user| user.word("name"));
                if let (Some(id), Some(name)) = (record.word("principalId"), name) {
                    self.users.insert(id, presentable(&name));
                }
            }
        }
    }

    pub(super) fn project(&self, id: &str) -> Option<&Project> {
        self.projects.get(id)
    }

    /// How somebody is called; `system` when nobody is named.
    pub(super) fn name(&self, author: &Author) -> String {
        let short = |id: &str| presentable(id).chars().take(8).collect::<String>();
        let known = |names: &HashMap<String, String>, id: &str| {
            names.get(id).cloned().unwrap_or_else(|| short(id))
        };
        match (&author.agent, &author.user) {
            (Some(agent), _) => format!("agent {}", known(&self.agents, agent)),
            (None, Some(user)) if user == BOARD => self.board.clone(),
            (None, Some(user)) => format!("user {}", known(&self.users, user)),
            (None, None) => "system".to_owned(),
        }
    }
}

/// A name on one line and of bearable length.
pub(super) fn presentable(name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derived_agent_comes_first_then_the_agent_then_the_user_then_the_system() {
        let mut directory = Directory {
            board: "Ana".to_owned(),
            ..Directory::default()
        };
        let mut agent = Record::parse(r#"{"id":"5518a1b9-0058","name":"Ada\n[2026]"}"#).unwrap();
        directory.take("agents", &mut agent);
        let name = |json: &str| {
            let author = Author::read(
                &mut Record::parse(json).unwrap(),
                &["derivedAuthorAgentId", "authorAgentId"],
                &["authorUserId"],
            );
            directory.name(&author)
        };
        assert_eq!(
            name(
                r#"{"derivedAuthorAgentId":"5518a1b9-0058","authorAgentId":"x","authorUserId":"local-board"}"#
            ),
            "agent Ada [2026]"
        );
        assert_eq!(
            name(r#"{"authorAgentId":"77777777-8888","authorUserId":"u"}"#),
            "agent 77777777"
        );
        assert_eq!(name(r#"{"authorUserId":"local-board"}"#), "Ana");
        assert_eq!(name(r#"{"authorUserId":"someone-else"}"#), "user someone-");
        assert_eq!(name(r#"{"authorType":"system"}"#), "system");
    }
}
