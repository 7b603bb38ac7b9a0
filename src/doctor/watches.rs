//! Whether the system lets the daemon watch as many folders as it wants to.
//!
//! Linux counts every folder under watch for each user, and every watcher. Other programs take their
//! share, which the system does not tell.

use super::walk::walk;
use super::{Check, Patient};

const CHECK: &str = "watched folders";
/// Where Linux has its limits, as [`sysctl`] names them with dots.
const LIMITS: &str = "/proc/sys/fs/inotify";

pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    let limit = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("{LIMITS}/{name}")).ok()?;
        text.trim().parse().ok()
    };
    let (Some(watches), Some(instances)) = (limit("max_user_watches"), limit("max_user_instances"))
    else {
        // Another system, which watches folders without a limit.
        return;
    };
    let enabled = patient.config.connectors.iter().filter(|one| one.enabled);
    let built = enabled.filter_map(|connector| connector.build(patient.config).ok());
    let folders: Vec<_> = built.flat_map(|built| built.watched().folders).collect();
    let below: u64 = folders.iter().map(|folder| walk(folder).folders).sum();
    let watchers = u64::try_from(folders.len()).unwrap_or(u64::MAX);
    told(judge("max_user_watches", below, watches, "folders"));
    // One that is well need not be told twice.
    let second = judge("max_user_instances", watchers, instances, "watchers");
    if second.mend.is_some() {
        told(second);
    }
}

fn judge(name: &str, needed: u64, limit: u64, what: &str) -> Check {
    let told = format!("{needed} {what} to watch, {LIMITS}/{name} is {limit}");
    // Twice of what is needed, and never less than there was.
    let more = (needed * 2).max(limit * 2).next_power_of_two();
    let key = format!("fs.inotify.{name}={more}");
    let mend =
        format!("sudo sysctl {key} && echo {key} | sudo tee -a /etc/sysctl.d/90-jezero.conf");
    if needed > limit {
        let text = format!("{told}: the rest is looked at every few seconds, which costs more");
        return Check::warning(CHECK, text, mend);
    }
    // Editors and file managers watch too.
    if needed > limit / 2 {
        return Check::warning(CHECK, format!("{told}, which other programs share"), mend);
    }
    Check::ok(CHECK, told)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn too_few_watches_warn_with_the_command_that_raises_the_limit() {
        let judged = |needed| judge("max_user_watches", needed, 8192, "folders");
        assert_eq!(judged(4096).result, Verdict::Ok);
        assert_eq!(judged(4097).result, Verdict::Warning);
        assert_eq!(
            judged(10_000),
            Check::warning(
                CHECK,
                "10000 folders to watch, /proc/sys/fs/inotify/max_user_watches is 8192: the rest is \
                 looked at every few seconds, which costs more",
                "sudo sysctl fs.inotify.max_user_watches=32768 && echo \
                 fs.inotify.max_user_watches=32768 | sudo tee -a /etc/sysctl.d/90-jezero.conf"
            )
        );
    }
}
