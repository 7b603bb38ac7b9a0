//! Room on the disk of the library.

use std::path::Path;

use super::{Check, Patient, quoted};

const CHECK: &str = "disk space";
const MEGABYTE: u64 = 1024 * 1024;
/// Less than this and a run may not end: a long one writes so much before it can tidy up.
const LEAST: u64 = 200 * MEGABYTE;
/// Less than this is soon used up.
const SCANT: u64 = 1024 * MEGABYTE;

pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    let path = &patient.config.storage.path;
    let Some(folder) = path.ancestors().skip(1).find(|folder| folder.is_dir()) else {
        return;
    };
    let size = std::fs::metadata(path).map_or(0, |data| data.len());
    if let Some(free) = free(folder) {
        told(judge(free, size, folder));
    }
}

/// Bytes that this user may still write to the disk of a folder; `None` where the system does not tell.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let told = rustix::fs::statvfs(folder).ok()?;
    told.f_bavail.checked_mul(told.f_frsize)
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

fn judge(free: u64, library: u64, folder: &Path) -> Check {
    let folder = quoted(folder);
    let told = format!("{} MB free at {folder}", free / MEGABYTE);
    let mend = format!(
        "du -xh --max-depth=2 {folder} | sort -h | tail    # then remove what is not needed, or move the \
         library to a larger disk and set [storage].path"
    );
    if free < LEAST {
        return Check::failing(CHECK, format!("{told}: a run may not be able to end"), mend);
    }
    if free < library {
        let text = format!(
            "{told}, less than the library's {} MB: `forget`, `index rebuild` and a backup beside it need \
             its size again",
            library / MEGABYTE
        );
        return Check::warning(CHECK, text, mend);
    }
    if free < SCANT {
        return Check::warning(CHECK, told, mend);
    }
    Check::ok(CHECK, told)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn too_little_room_fails_and_scant_room_warns() {
        let judged = |free: u64, library: u64| {
            judge(free * MEGABYTE, library * MEGABYTE, Path::new("/data")).result
        };
        assert_eq!(judged(199, 1), Verdict::Failing);
        assert_eq!(judged(200, 1), Verdict::Warning);
        assert_eq!(judged(1024, 1), Verdict::Ok);
        assert_eq!(judged(2000, 2001), Verdict::Warning);
        let told = judge(150 * MEGABYTE, 0, Path::new("/data"));
        assert_eq!(
            told.text,
            "150 MB free at /data: a run may not be able to end"
        );
        assert!(
            told.mend
                .unwrap()
                .starts_with("du -xh --max-depth=2 /data | sort -h")
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_system_is_asked() {
        assert!(free(Path::new("/")).is_some());
    }
}
