//! `jezero init`: finds the sources on this computer, writes a configuration, makes the library.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jezero_connectors::connector::Surroundings;
use jezero_connectors::{ALL, Kind};

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::config::{Config, Env, template};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("init")
        .about("Find the agents on this computer, write jezero.toml, make the library")
        .long_about(
            "Looks for the sources that this program reads, writes a configuration with every key \
             commented and one connector for each source found, and makes the empty library. An \
             existing configuration is never changed; then only the library is made.",
        )
}

fn run(_: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let env = Env::process();
    let path = Config::find(globals.config.as_deref(), &env);
    if path.exists() {
        output.line(format!("{} exists and was left as it is", path.display()));
    } else {
        write_configuration(&path, &env, output)?;
    }
    let setting = Setting::load(globals)?;
    drop(setting.store("init", output)?);
    output.line(format!(
        "database ready at {}",
        setting.config.storage.path.display()
    ));
    output.note("hint: `jezero run` reads your sources; `jezero check-config` shows what is set");
    Ok(Exit::Done)
}

fn write_configuration(path: &Path, env: &Env, output: &mut Output) -> Result<(), Failure> {
    let found = discover(env);
    let text = template(&found, &hostname(env));
    let fault = |error: std::io::Error| {
        Failure::text(Exit::BadUse, format!("{}: {error}", path.display()))
            .hint("give another place with -c FILE")
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(fault)?;
    file.write_all(text.as_bytes()).map_err(fault)?;
    for (kind, place) in &found {
        output.line(format!("found {} in {}", kind.name(), place.display()));
    }
    if found.is_empty() {
        let kinds: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
        output.line(format!(
            "found no source on this computer (looked for {})",
            kinds.join(", ")
        ));
    }
    output.line(format!("configuration written to {}", path.display()));
    Ok(())
}

fn discover(env: &Env) -> Vec<(&'static dyn Kind, PathBuf)> {
    let look = |kind: &'static dyn Kind| {
        let variables = kind
            .variables()
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), env.get(name)?.expose().to_owned())));
        let surroundings = Surroundings {
            base: PathBuf::new(),
            home: env.home(),
            variables: variables.collect(),
        };
        kind.discover(&surroundings).map(|place| (kind, place))
    };
    ALL.iter().copied().filter_map(look).collect()
}

/// This computer's name, as far as the system tells it without a network.
fn hostname(env: &Env) -> String {
    let file = std::fs::read_to_string("/etc/hostname").ok();
    let variable = || {
        ["HOSTNAME", "COMPUTERNAME"]
            .iter()
            .find_map(|name| env.get(name))
            .map(|name| name.expose().to_owned())
    };
    file.map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .or_else(variable)
        .unwrap_or_else(|| "this-computer".to_owned())
}
