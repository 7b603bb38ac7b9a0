//! Units of systemd.
//!
//! In a command `%` begins a specifier and `$` a variable, and quotes and backslashes are read as in
//! C. The program itself may not be a variable, so `$` stands for itself there.

use std::path::Path;

use super::{ENDING, LOOK, Service, ServiceError, WATCHDOG, Whose, line};

/// What every unit may do without. All of it works for units of a person, too.
const HARDENING: &str = "\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
";

/// What only the computer's units can be held to.
const ISOLATION: &str = "\
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
CapabilityBoundingSet=
";

/// The unit of the daemon: ready when it says so, started anew when it is stuck.
///
/// # Errors
/// [`ServiceError`].
pub fn daemon_unit(service: &Service) -> Result<String, ServiceError> {
    let mut text = head("reads the sources and keeps the library");
    // Indexing a library that another version made may take long before the daemon is ready.
    text += "\n[Service]\nType=notify\nNotifyAccess=main\nTimeoutStartSec=infinity\n";
    let command = command(service, &service.daemon())?;
    write(&mut text, format_args!("ExecStart={command}\n"));
    text += "ExecReload=/bin/kill -HUP $MAINPID\nRestart=on-failure\nRestartSec=30\n";
    text +=
        "# A broken configuration is not mended by starting again.\nRestartPreventExitStatus=2\n";
    write(
        &mut text,
        format_args!("WatchdogSec={WATCHDOG}\nTimeoutStopSec={ENDING}\n"),
    );
    text += &limits(service)?;
    let target = match service.whose {
        Whose::User => "default.target",
        Whose::System(_) => "multi-user.target",
    };
    write(&mut text, format_args!("\n[Install]\nWantedBy={target}\n"));
    Ok(text)
}

/// The unit of one run of what is due, for the timer.
///
/// # Errors
/// [`ServiceError`].
pub fn run_unit(service: &Service) -> Result<String, ServiceError> {
    let mut text = head("reads the sources that are due");
    let command = command(service, &["run", "--due"])?;
    text += "\n[Service]\nType=oneshot\n";
    write(
        &mut text,
        format_args!("ExecStart={command}\nTimeoutStopSec={ENDING}\n"),
    );
    text += &limits(service)?;
    Ok(text)
}

/// The timer that starts it.
#[must_use]
pub fn timer_unit() -> String {
    format!(
        "[Unit]\nDescription=Jezero: looks which sources are due\n\n\
         [Timer]\nOnStartupSec=2min\nOnUnitInactiveSec={LOOK}min\nRandomizedDelaySec=1min\n\
         Unit=jezero-run.service\n\n\
         [Install]\nWantedBy=timers.target\n"
    )
}

fn head(does: &str) -> String {
    format!(
        "[Unit]\nDescription=Jezero: {does}\nWants=network-online.target\n\
         After=network-online.target\n"
    )
}

/// The command, and the user it is run as.
fn command(service: &Service, arguments: &[&str]) -> Result<String, ServiceError> {
    let argument = |text: &str| quoted(&specifiers(text).replace('$', "$$"));
    let program = line(&service.program)?;
    // The name of a program may hold neither quotes nor backslashes; an argument may.
    let program = match program.contains(['"', '\'', '\\']) {
        true => format!("/usr/bin/env {}", argument(program)),
        false => quoted(&specifiers(program)),
    };
    let config = argument(line(&service.config)?);
    let mut text = format!("{program} {} --config {config}", arguments.join(" "));
    if let Whose::System(user) = &service.whose {
        write(
            &mut text,
            format_args!("\nUser={}", specifiers(line(Path::new(user))?)),
        );
    }
    Ok(text)
}

/// What the process may do and how much it may take.
fn limits(service: &Service) -> Result<String, ServiceError> {
    let mut text = "UMask=0077\nNice=10\n".to_owned();
    text += HARDENING;
    if !service.starts_programs {
        text += "MemoryDenyWriteExecute=yes\n";
    }
    if let Whose::System(_) = service.whose {
        text += ISOLATION;
        let data = quoted(&specifiers(line(&service.data)?));
        write(&mut text, format_args!("ReadWritePaths={data}\n"));
        if service.starts_programs {
            text += "# Add the folders that the program of [summarizer].command writes to.\n";
        }
    }
    Ok(text)
}

fn specifiers(text: &str) -> String {
    text.replace('%', "%%")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn write(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.push_str(&more.to_string());
}
