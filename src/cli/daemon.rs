//! `jezero daemon`: reads the sources at their intervals and when they change, until told to end.

mod watched;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches};
use tokio::sync::mpsc;

use self::watched::Watched;
use super::failure::Failure;
use super::output::Output;
use super::reading;
use super::serve::{port, runtime, service, signals};
use super::setting::Setting;
use super::{Entry, Exit, Globals, log};
use crate::config::Env;
use crate::daemon::{self, Ears, Ended, Mouth, Notice, Plan, Runner, Watching};
use crate::health::Timetable;
use crate::http::Server;
use crate::item::{Instant, SourceName};
use crate::pipeline::{Options, RunReport, Stop};
use crate::store::{Lock, Store, StoreError, Upkeeping, lock};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    clap::Command::new("daemon")
        .about("Read the sources at their intervals and when they change, until told to end")
        .long_about(
            "Reads each enabled connector at its interval_minutes, and when files that it watches \
             have changed and settled. Connectors are read side by side. One that fails is tried \
             again less and less often. A changed configuration is taken over by itself or on \
             SIGHUP; a broken one is told of and changes nothing. SIGTERM and Ctrl-C end the \
             daemon within ten seconds.",
        )
        .arg(flag(
            "serve",
            "Serve the library over HTTP in the same process",
        ))
        .arg(port().requires("serve"))
        .arg(flag(
            "once",
            "Read every enabled connector once, side by side, and end; for cron",
        ))
        .arg(log::form())
        .arg(log::file())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    log::start(matches, output)?;
    let mut setting = Setting::load(globals)?;
    if let Some(port) = matches.get_one("port") {
        setting.config.server.port = *port;
    }
    let setting = Arc::new(setting);
    // What makes every reading fail is a mistake to be told now.
    drop((setting.engine()?, setting.summarizer()?));
    if !setting.config.connectors.iter().any(|it| it.enabled) {
        return Err(Failure::text(Exit::BadUse, "no connector is enabled")
            .hint("add a [[connectors]] block to jezero.toml, or set enabled = true"));
    }
    let path = &setting.config.storage.path;
    Store::check(path)?;
    make_ready(&setting, output)?;
    let runtime = runtime()?;
    let exit = if matches.get_flag("once") {
        runtime.block_on(once(setting))
    } else {
        let serves = matches.get_flag("serve");
        runtime.block_on(on_and_on(setting, globals.config.clone(), serves, output))
    };
    // Threads that still read have been told to end and were waited for.
    runtime.shutdown_background();
    exit
}

/// How long a start waits for the library's lock: `jezero runs` holds it for a moment.
const GLANCE: Duration = Duration::from_secs(2);

/// Makes the library, brings it up to date, finishes what a kill has left. While another program writes
/// that is its business.
fn make_ready(setting: &Setting, output: &mut Output) -> Result<(), Failure> {
    let path = &setting.config.storage.path;
    let lock = Lock::take(path, "daemon", GLANCE, setting.clock.as_ref());
    match lock {
        Ok(_lock) => {
            // Nobody is writing, so what is noted as under way was killed.
            setting.opened(output)?.interrupt_runs()?;
            Ok(())
        }
        Err(StoreError::Locked { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Reads every enabled connector once.
async fn once(setting: Arc<Setting>) -> Result<Exit, Failure> {
    let stop = ended_by_signals()?;
    let plans = plans(&setting);
    let (watching, _) = Watching::channel();
    let keeper = Arc::new(Keeper::new(setting, None, watching));
    let mut readings = tokio::task::JoinSet::new();
    for plan in plans {
        let (keeper, stop) = (Arc::clone(&keeper), stop.clone());
        readings.spawn(async move { keeper.read(plan.source, stop).await });
    }
    let ended = readings.join_all().await;
    Ok(match ended.contains(&Ended::Failing) {
        true => Exit::Failed,
        false => Exit::Done,
    })
}

async fn on_and_on(
    setting: Arc<Setting>,
    named: Option<PathBuf>,
    serves: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let stop = ended_by_signals()?;
    let notice = match Env::process().get("NOTIFY_SOCKET") {
        Some(address) => Notice::to(address.expose()),
        None => Notice::nobody(),
    };
    let mouth = Mouth {
        notice,
        timetable: Timetable::default(),
    };
    let serving = match serves {
        true => Some(start_server(&setting, &mouth, stop.clone(), output).await?),
        false => None,
    };
    let (watching, changes) = Watching::channel();
    let plans = plans(&setting);
    let clock = Arc::clone(&setting.clock);
    let keeper = Arc::new(Keeper::new(setting, named, watching));
    keeper.watch();
    let ears = Ears {
        changes,
        reload: hangups()?,
        stop,
    };
    output.note(format!("reading {} sources; SIGTERM ends it", plans.len()));
    mouth.notice.ready();
    daemon::run(keeper, plans, ears, clock, &mouth).await;
    if let Some(serving) = serving {
        // A server that broke has said so in the log.
        drop(serving.await);
    }
    Ok(Exit::Done)
}

async fn start_server(
    setting: &Setting,
    mouth: &Mouth,
    mut stop: Stop,
    output: &mut Output,
) -> Result<tokio::task::JoinHandle<()>, Failure> {
    let (service, timetable) = (service(setting), mouth.timetable.clone());
    let server = Server::beside(&setting.config, Env::process(), service, timetable)?;
    let listener = server.listen().await?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let path = &setting.config.server.path;
    output.note(format!("serving MCP on http://{address}{path}"));
    Ok(tokio::spawn(async move {
        server
            .serve(listener, async move { stop.told().await })
            .await;
    }))
}

fn ended_by_signals() -> Result<Stop, Failure> {
    let (stopper, stop) = Stop::channel();
    let signals = signals().map_err(|error| Failure::new(Exit::Failed, error))?;
    tokio::spawn(async move {
        signals.await;
        stopper.tell();
    });
    Ok(stop)
}

/// SIGHUP: the configuration is to be read again.
#[cfg(unix)]
fn hangups() -> Result<mpsc::Receiver<()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let (told, heard) = mpsc::channel(1);
    let mut hangup = signal(SignalKind::hangup()).map_err(|e| Failure::new(Exit::Failed, e))?;
    tokio::spawn(
        async move { while hangup.recv().await.is_some() && told.send(()).await.is_ok() {} },
    );
    Ok(heard)
}

/// There is no such signal on this system; a changed file is noticed all the same.
#[cfg(not(unix))]
fn hangups() -> Result<mpsc::Receiver<()>, Failure> {
    let (told, heard) = mpsc::channel(1);
    tokio::spawn(async move { told.closed().await });
    Ok(heard)
}

fn plans(setting: &Setting) -> Vec<Plan> {
    let seconds = |minutes: u64| i64::try_from(minutes.saturating_mul(60)).unwrap_or(i64::MAX);
    let enabled = setting.config.connectors.iter().filter(|it| it.enabled);
    enabled
        .map(|connector| {
            let settle = connector
                .build(&setting.config)
                .map_or(0, |built| built.watched().settle_minutes);
            Plan {
                source: connector.name.clone(),
                interval: seconds(connector.interval_minutes),
                settle: seconds(settle.into()),
            }
        })
        .collect()
}

/// What the daemon works with between two readings.
struct Keeper {
    setting: RwLock<Arc<Setting>>,
    named: Option<PathBuf>,
    /// When the configuration's files were last changed, as far as it was read.
    stamps: Mutex<Vec<Option<SystemTime>>>,
    /// The hold on the library while any source is being read.
    hold: Arc<Mutex<Weak<Hold>>>,
    watched: Mutex<Watched>,
}

impl Keeper {
    fn new(setting: Arc<Setting>, named: Option<PathBuf>, watching: Watching) -> Self {
        Self {
            stamps: Mutex::new(stamps(&setting)),
            setting: RwLock::new(setting),
            named,
            hold: Arc::default(),
            watched: Mutex::new(Watched::new(watching)),
        }
    }

    fn setting(&self) -> Arc<Setting> {
        let setting = self.setting.read();
        Arc::clone(&setting.unwrap_or_else(PoisonError::into_inner))
    }

    /// Watches what the connectors of today want watched.
    fn watch(&self) {
        let setting = self.setting();
        let watched = self.watched.lock();
        let mut watched = watched.unwrap_or_else(PoisonError::into_inner);
        watched.keep_up(&setting);
    }
}

/// When the configuration and its `.env` file were last changed.
fn stamps(setting: &Setting) -> Vec<Option<SystemTime>> {
    let files = [
        setting.config.path.clone(),
        setting.config.base.join(".env"),
    ];
    let changed = |file: PathBuf| std::fs::metadata(file).and_then(|it| it.modified()).ok();
    files.into_iter().map(changed).collect()
}

impl Runner for Keeper {
    async fn read(&self, source: SourceName, stop: Stop) -> Ended {
        let (setting, hold) = (self.setting(), Arc::clone(&self.hold));
        let here = tokio::runtime::Handle::current();
        let name = source.clone();
        let reading =
            tokio::task::spawn_blocking(move || read_one(&setting, &name, &hold, &here, &stop));
        let outcome = reading
            .await
            .unwrap_or_else(|error| Err(Failure::new(Exit::Failed, error)));
        match outcome {
            Ok(report) => {
                reading::log(&source, &report);
                match report.has_failed() {
                    true => Ended::Failing,
                    false => Ended::Well,
                }
            }
            Err(failure) => {
                let text = failure.lines().join("; ");
                tracing::warn!(connector = %source, "{source}: {text}");
                match failure.exit {
                    Exit::Locked => Ended::Busy,
                    _ => Ended::Failing,
                }
            }
        }
    }

    fn changed_plans(&self, is_told: bool) -> Option<Vec<Plan>> {
        // Folders come and go, also those that a pattern of the configuration names.
        self.watch();
        let old = self.setting();
        let now = stamps(&old);
        {
            let stamps = self.stamps.lock();
            let mut stamps = stamps.unwrap_or_else(PoisonError::into_inner);
            if !is_told && *stamps == now {
                return None;
            }
            *stamps = now;
        }
        let globals = Globals {
            config: self.named.clone(),
        };
        let loaded = Setting::load(&globals).and_then(|new| {
            drop((new.engine()?, new.summarizer()?));
            Ok(Arc::new(new))
        });
        match loaded {
            Ok(new) => {
                let plans = plans(&new);
                *self.setting.write().unwrap_or_else(PoisonError::into_inner) = new;
                self.watch();
                tracing::info!("the configuration was read again");
                Some(plans)
            }
            Err(failure) => {
                let text = failure.lines().join("; ");
                tracing::warn!("the configuration stays as it was: {text}");
                None
            }
        }
    }

    fn last_reading(&self, source: &SourceName) -> Option<Instant> {
        let library = self.setting().library().ok()?;
        library.view().state(source).ok()?.last_run_at
    }
}

/// Reads one source on a thread of its own, under the lock that all readings share.
fn read_one(
    setting: &Setting,
    source: &SourceName,
    hold: &Mutex<Weak<Hold>>,
    here: &tokio::runtime::Handle,
    stop: &Stop,
) -> Result<RunReport, Failure> {
    let connectors = &setting.config.connectors;
    let Some(connector) = connectors.iter().find(|it| it.name == *source) else {
        return Err(Failure::text(Exit::Failed, "it is not configured any more"));
    };
    let path = &setting.config.storage.path;
    let hold = shared(hold, || {
        Lock::take(path, "daemon", lock::PATIENCE, setting.clock.as_ref())
    })?;
    let upkeep = hold.upkeep.clone();
    let mut store = Store::open_beside(path, setting.config.search.originals, upkeep)?;
    let options = Options::default();
    let mut quiet = |_| {};
    let reading = reading::read(setting, &mut store, connector, options, stop, &mut quiet);
    let report = here.block_on(reading)?;
    let removed = reading::remove_old_originals(setting, &mut store)?;
    if removed.count > 0 {
        tracing::info!("{}", reading::told_of_removed(removed));
    }
    store.finish()?;
    Ok(report)
}

/// What readings under way share. Without the lock another program may write the library, or put a copy
/// in its place: then what was half merged is no work to go on with.
struct Hold {
    _lock: Lock,
    upkeep: Upkeeping,
}

/// The hold of the readings under way, or a new one.
fn shared(
    held: &Mutex<Weak<Hold>>,
    take: impl FnOnce() -> Result<Lock, StoreError>,
) -> Result<Arc<Hold>, Failure> {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hold) = held.upgrade() {
        return Ok(hold);
    }
    let hold = Arc::new(Hold {
        _lock: take()?,
        upkeep: Upkeeping::default(),
    });
    *held = Arc::downgrade(&hold);
    Ok(hold)
}
