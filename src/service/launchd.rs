//! A property list for launchd.

use std::path::Path;

use super::{ENDING, LOOK, Service, ServiceError, Whose, line};

/// Seconds before the program is started again; a broken configuration would be tried for ever.
const PAUSE: u32 = 60;

/// The property list of the daemon, or of a look at what is due every quarter of an hour. The log is
/// written to `log`: the daemon keeps it small itself, and a run is told of in the history.
///
/// # Errors
/// [`ServiceError`].
pub fn property_list(
    service: &Service,
    log: &Path,
    is_timer: bool,
) -> Result<String, ServiceError> {
    let config = line(&service.config)?;
    let mut arguments = vec![line(&service.program)?];
    match is_timer {
        true => arguments.extend(["run", "--due", "--config", config]),
        false => {
            arguments.extend(service.daemon());
            arguments.extend(["--config", config, "--log-file", line(log)?]);
        }
    }
    let arguments: String = arguments
        .iter()
        .map(|argument| format!("    <string>{}</string>\n", escaped(argument)))
        .collect();
    let label = if is_timer {
        "jezero.run"
    } else {
        "jezero.daemon"
    };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{label}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{arguments}  </array>\n"
    );
    let mut key = |name: &str, value: &str| {
        text.push_str(&format!("  <key>{name}</key>\n  {value}\n"));
    };
    if let Whose::System(user) = &service.whose {
        let user = escaped(line(Path::new(user))?);
        key("UserName", &format!("<string>{user}</string>"));
    }
    key("RunAtLoad", "<true/>");
    if is_timer {
        key(
            "StartInterval",
            &format!("<integer>{}</integer>", LOOK * 60),
        );
    } else {
        key(
            "KeepAlive",
            "<dict><key>SuccessfulExit</key><false/></dict>",
        );
        key("ThrottleInterval", &format!("<integer>{PAUSE}</integer>"));
    }
    key("ExitTimeOut", &format!("<integer>{ENDING}</integer>"));
    key("ProcessType", "<string>Background</string>");
    // 077 in octal: files for the owner alone.
    key("Umask", "<integer>63</integer>");
    text += "</dict>\n</plist>\n";
    Ok(text)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
