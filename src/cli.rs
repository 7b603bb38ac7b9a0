//! The command line: the one layer that prints.
//!
//! Each command is one file that offers an [`Entry`]; [`COMMANDS`] lists them. Exit codes: 0 done,
//! 1 something failed or a check found a problem, 2 bad use or configuration, 3 the library is
//! being written by another program, 4 a server cannot be reached.

mod backup;
mod check_config;
mod connector;
mod daemon;
mod doctor;
mod export_jsonl;
mod failure;
mod forget;
mod health;
mod import_db;
mod import_jsonl;
mod index;
mod init;
mod log;
mod mcp;
mod new_token;
mod output;
mod reading;
mod redact;
mod redact_stored;
mod restore;
mod resummarize;
mod retag;
mod rules;
mod run;
mod runs;
mod search;
mod serve;
mod setting;
mod setup;
mod show;
mod sources;
mod stats;
mod table;
mod timeline;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};

use failure::Failure;
use output::Output;

/// What a command leaves behind as the program's exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All done.
    Done = 0,
    /// Something failed, or a check found a problem.
    Failed = 1,
    /// Bad use or configuration.
    BadUse = 2,
    /// Another program holds the library's lock.
    Locked = 3,
    /// A server cannot be reached.
    Unreachable = 4,
}

/// A command: how it is called and what it does.
struct Entry {
    define: fn() -> clap::Command,
    run: fn(&ArgMatches, &Globals, &mut Output) -> Result<Exit, Failure>,
}

/// Every command, in the order of `--help`.
const COMMANDS: &[Entry] = &[
    init::COMMAND,
    check_config::COMMAND,
    run::COMMAND,
    daemon::COMMAND,
    runs::COMMAND,
    search::COMMAND,
    show::COMMAND,
    timeline::COMMAND,
    sources::COMMAND,
    stats::COMMAND,
    health::COMMAND,
    doctor::COMMAND,
    setup::COMMAND,
    connector::COMMAND,
    import_jsonl::COMMAND,
    export_jsonl::COMMAND,
    import_db::COMMAND,
    redact::COMMAND,
    redact_stored::COMMAND,
    rules::COMMAND,
    index::COMMAND,
    resummarize::COMMAND,
    retag::COMMAND,
    forget::COMMAND,
    backup::COMMAND,
    restore::COMMAND,
    serve::COMMAND,
    mcp::COMMAND,
    new_token::COMMAND,
];

/// What all commands are given.
struct Globals {
    /// The value of `-c`.
    config: Option<PathBuf>,
}

const AFTER: &str = "\
Exit codes: 0 done; 1 something failed or a check found a problem; 2 bad use or configuration;
3 the library is being written by another program; 4 a server cannot be reached.

The configuration is the file given with -c, else $JEZERO_CONFIG, else ./jezero.toml.";

fn program() -> clap::Command {
    clap::Command::new("jezero")
        .version(env!("CARGO_PKG_VERSION"))
        .about(
            "Past work of coding agents and people: collected, redacted, summarised, found again",
        )
        .after_help(AFTER)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("config")
                .short('c')
                .long("config")
                .value_name("FILE")
                .global(true)
                .value_parser(value_parser!(PathBuf))
                .help("Configuration file"),
        )
        .subcommands(COMMANDS.iter().map(|entry| (entry.define)()))
}

/// Parses the arguments, runs the command, prints, and returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let mut output = Output::terminal();
    let matches = match program().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let exit = if error.use_stderr() {
                Exit::BadUse
            } else {
                Exit::Done
            };
            // A closed pipe is no reason to complain.
            drop(error.print());
            return exit;
        }
    };
    let globals = Globals {
        config: matches.get_one::<PathBuf>("config").cloned(),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return Exit::BadUse;
    };
    let entry = COMMANDS
        .iter()
        .find(|entry| (entry.define)().get_name() == name);
    let Some(entry) = entry else {
        return Exit::BadUse;
    };
    match (entry.run)(matches, &globals, &mut output) {
        Ok(exit) => output.finish(exit),
        Err(failure) => output.fail(&failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        program().debug_assert();
    }
}
