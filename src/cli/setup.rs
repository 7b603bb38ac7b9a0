//! `jezero setup`: what other programs of this computer need to know of this one.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgGroup, ArgMatches};

use super::failure::Failure;
use super::output::Output;
use super::run::flag;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::config::{Env, Provider};
use crate::service::{
    Service, ServiceError, Whose, daemon_unit, dockerfile, property_list, run_unit, timer_unit,
};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    let service = clap::Command::new("service")
        .about("Print a service for systemd, launchd or Docker")
        .long_about(
            "Prints what a service manager needs to start the daemon and to keep it running: a unit \
             for systemd, a property list for launchd, or a Dockerfile. Without a choice it is the \
             one of this computer. Nothing is written or started: where the text goes and what \
             starts it is told on standard error.",
        )
        .arg(flag("systemd", "A unit for systemd"))
        .arg(flag("launchd", "A property list for launchd (macOS)"))
        .arg(flag("docker", "A Dockerfile for a checkout of this program"))
        .group(ArgGroup::new("manager").args(["systemd", "launchd", "docker"]))
        .arg(flag(
            "timer",
            "Instead of the daemon, a timer that looks every quarter of an hour what is due",
        ))
        .arg(flag("once", "The unit that the timer of systemd starts").conflicts_with("timer"))
        .arg(flag("user", "A service of your own (the default)"))
        .arg(flag("system", "A service of the computer, run as you").conflicts_with("user"))
        .arg(
            Arg::new("run-as")
                .long("run-as")
                .value_name("NAME")
                .requires("system")
                .help("Run a service of the computer as this user"),
        )
        .arg(flag("serve", "Let the daemon serve the library over HTTP, too"));
    clap::Command::new("setup")
        .about("Print what other programs need to start this one")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(service)
}

/// Who starts the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manager {
    Systemd,
    Launchd,
    Docker,
}

/// What is wanted of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Daemon,
    Timer,
    Once,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let Some((_, matches)) = matches.subcommand() else {
        return Ok(Exit::BadUse);
    };
    let manager = manager(matches)?;
    let wanted = match (matches.get_flag("timer"), matches.get_flag("once")) {
        (true, _) => Wanted::Timer,
        (_, true) => Wanted::Once,
        _ => Wanted::Daemon,
    };
    if manager == Manager::Docker {
        return docker(wanted, matches, output);
    }
    let env = Env::process();
    let service = service(matches, globals, &env)?;
    let is_system = service.whose != Whose::User;
    let (text, hints) = match manager {
        Manager::Systemd => {
            let text = match wanted {
                Wanted::Daemon => daemon_unit(&service)?,
                Wanted::Timer => timer_unit(),
                Wanted::Once => run_unit(&service)?,
            };
            (text, systemd_hints(wanted, is_system, matches))
        }
        _ if wanted == Wanted::Once => {
            return Err(Failure::text(Exit::BadUse, "--once is for systemd")
                .hint("for launchd, --timer prints all there is"));
        }
        _ => {
            let log = log_file(&service, &env)?;
            let text = property_list(&service, &log, wanted == Wanted::Timer)?;
            (text, launchd_hints(wanted, is_system, matches))
        }
    };
    output.raw(&text);
    for hint in hints {
        output.note(hint);
    }
    Ok(Exit::Done)
}

fn manager(matches: &ArgMatches) -> Result<Manager, Failure> {
    let named = [
        ("systemd", Manager::Systemd),
        ("launchd", Manager::Launchd),
        ("docker", Manager::Docker),
    ];
    let named = named.into_iter().find(|(name, _)| matches.get_flag(name));
    match named {
        Some((_, manager)) => Ok(manager),
        None if cfg!(target_os = "linux") => Ok(Manager::Systemd),
        None if cfg!(target_os = "macos") => Ok(Manager::Launchd),
        None => Err(
            Failure::text(Exit::BadUse, "this system's service manager is not known")
                .hint("choose --systemd, --launchd or --docker"),
        ),
    }
}

fn docker(wanted: Wanted, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    if wanted != Wanted::Daemon {
        return Err(Failure::text(Exit::BadUse, "a container runs the daemon")
            .hint("for a look now and then: docker exec NAME jezero run --due"));
    }
    let serves = matches.get_flag("serve");
    output.raw(&dockerfile(serves));
    output
        .note("hint: save it as Dockerfile in a checkout of jezero; its first lines say what next");
    if serves {
        output.note("hint: in the container's jezero.toml, [server].host is \"0.0.0.0\"");
    }
    Ok(Exit::Done)
}

fn service(matches: &ArgMatches, globals: &Globals, env: &Env) -> Result<Service, Failure> {
    let setting = Setting::load(globals)?;
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| Failure::new(Exit::Failed, error));
    let whose = match matches.get_flag("system") {
        false => Whose::User,
        true => Whose::System(user(matches, env)?),
    };
    let library = absolute(&setting.config.storage.path)?;
    Ok(Service {
        program: program(env)?,
        config: absolute(&setting.config.path)?,
        data: library.parent().unwrap_or(&library).to_owned(),
        whose,
        serves: matches.get_flag("serve"),
        starts_programs: setting.config.summarizer.provider == Provider::Command,
    })
}

/// As whom a service of the computer runs: the one named, else the person who asks, also through sudo.
fn user(matches: &ArgMatches, env: &Env) -> Result<String, Failure> {
    let asking = || {
        let of = |name: &str| env.get(name).map(|user| user.expose().to_owned());
        of("SUDO_USER").or_else(|| of("USER"))
    };
    let named = matches.get_one::<String>("run-as").cloned();
    named.or_else(asking).ok_or_else(|| {
        Failure::text(Exit::BadUse, "as whom should the service run?")
            .hint("add --run-as with the name of the user whose sources are read")
    })
}

/// This program under the name by which it is found, which an update leaves as it is; else where it is.
fn program(env: &Env) -> Result<PathBuf, Failure> {
    let here = std::env::current_exe().map_err(|error| Failure::new(Exit::Failed, error))?;
    let real = here.canonicalize().unwrap_or_else(|_| here.clone());
    let folders = env.get("PATH");
    let folders = folders.as_ref().map_or("", |folders| folders.expose());
    let found = std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("jezero"))
        .find(|path| path.canonicalize().is_ok_and(|path| path == real));
    Ok(found.unwrap_or(here))
}

fn log_file(service: &Service, env: &Env) -> Result<PathBuf, Failure> {
    let name = "jezero.log";
    match &service.whose {
        Whose::System(_) => Ok(service.data.join(name)),
        Whose::User => match env.home() {
            Some(home) => Ok(home.join("Library/Logs").join(name)),
            None => Err(Failure::text(Exit::BadUse, "HOME is not set")),
        },
    }
}

/// The options that were given, for a command that is told.
fn given(matches: &ArgMatches) -> String {
    let mut given = String::new();
    for name in ["serve", "system"] {
        if matches.get_flag(name) {
            given += &format!(" --{name}");
        }
    }
    if let Some(user) = matches.get_one::<String>("run-as") {
        given += &format!(" --run-as {user}");
    }
    given
}

fn systemd_hints(wanted: Wanted, is_system: bool, matches: &ArgMatches) -> Vec<String> {
    let (folder, control, tee) = match is_system {
        true => ("/etc/systemd/system", "sudo systemctl", "| sudo tee"),
        false => ("~/.config/systemd/user", "systemctl --user", ">"),
    };
    let print = |more: &str, file: &str| {
        let given = given(matches);
        format!("hint: jezero setup service --systemd{given}{more} {tee} {folder}/{file}")
    };
    let mut hints = Vec::new();
    if !is_system {
        hints.push(format!("hint: mkdir -p {folder}"));
    }
    let started = match wanted {
        Wanted::Daemon => {
            hints.push(print("", "jezero.service"));
            "jezero.service"
        }
        Wanted::Timer | Wanted::Once => {
            hints.push(print(" --once", "jezero-run.service"));
            hints.push(print(" --timer", "jezero-run.timer"));
            "jezero-run.timer"
        }
    };
    hints.push(format!(
        "hint: {control} daemon-reload && {control} enable --now {started}"
    ));
    if !is_system {
        hints
            .push("hint: loginctl enable-linger    lets it run while you are not logged in".into());
    }
    hints
}

fn launchd_hints(wanted: Wanted, is_system: bool, matches: &ArgMatches) -> Vec<String> {
    let (folder, domain, sudo, tee) = match is_system {
        true => ("/Library/LaunchDaemons", "system", "sudo ", "| sudo tee"),
        false => ("~/Library/LaunchAgents", "gui/$(id -u)", "", ">"),
    };
    let (more, label) = match wanted {
        Wanted::Timer => (" --timer", "jezero.run"),
        Wanted::Daemon | Wanted::Once => ("", "jezero.daemon"),
    };
    let given = given(matches);
    vec![
        format!("hint: jezero setup service --launchd{given}{more} {tee} {folder}/{label}.plist"),
        format!("hint: {sudo}launchctl bootstrap {domain} {folder}/{label}.plist"),
    ]
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        Self::new(Exit::BadUse, error).hint("give the file or folder another name")
    }
}
