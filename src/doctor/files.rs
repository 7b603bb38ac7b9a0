//! Who else may read or write what is ours.

use super::{Check, Patient};

/// Whether the folder of the library can be written, and modes where the system has them.
pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    if let Some(problem) = patient.config.storage_problem() {
        let path = &patient.config.storage.path;
        // Never a folder above the library's own: that may be the system's.
        let own = path.parent().filter(|folder| !folder.exists());
        let mend = match own {
            Some(folder) => {
                let folder = super::quoted(folder);
                format!("sudo install -d -m 700 -o \"$(id -un)\" {folder}")
            }
            None if path.is_file() => {
                let file = super::quoted(path);
                format!("sudo chown \"$(id -un)\" {file} && chmod u+rw {file}")
            }
            None => patient.edit("[storage].path"),
        };
        told(Check::failing("library folder", problem, mend));
    }
    #[cfg(unix)]
    unix::look(patient, told);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::super::{Check, Patient, quoted};

    const CHECK: &str = "file modes";
    /// Modes that others have.
    const READ: u32 = 0o044;
    const WRITE: u32 = 0o022;
    const ANY: u32 = 0o077;

    pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
        let mut found = Vec::new();
        let library = &patient.config.storage.path;
        found.extend(library_files(library));
        found.extend(secret(&patient.config.base.join(".env")));
        found.extend(configuration(&patient.config.path));
        if let Some(data) = library.parent() {
            found.extend(folder(data, &patient.config.base));
        }
        if found.is_empty() {
            found.push(Check::ok(CHECK, "what is yours is yours alone"));
        }
        found.into_iter().for_each(told);
    }

    fn mode(path: &Path) -> Option<u32> {
        std::fs::metadata(path).ok().map(|data| data.mode() & 0o777)
    }

    /// The library and what stands beside it: a log that SQLite makes has the library's mode, and keeps
    /// it when that changes. So all of it is closed at once.
    fn library_files(library: &Path) -> Option<Check> {
        let beside = |suffix: &str| {
            let mut name = library.as_os_str().to_owned();
            name.push(suffix);
            secret(Path::new(&name))
        };
        let found = ["", "-wal", "-shm", ".lock"].into_iter().find_map(beside)?;
        Some(Check {
            mend: Some(format!("chmod 600 {}*", quoted(library))),
            ..found
        })
    }

    /// A file that nobody else may read.
    fn secret(path: &Path) -> Option<Check> {
        let mode = mode(path).filter(|mode| mode & ANY != 0)?;
        let text = format!("{} is open to others (mode {mode:03o})", path.display());
        let mend = format!("chmod 600 {}", quoted(path));
        Some(Check::failing(CHECK, text, mend))
    }

    /// Whoever writes the configuration has this program read and run what he likes; it holds no
    /// secret, so that reading it tells little.
    fn configuration(path: &Path) -> Option<Check> {
        let mode = mode(path)?;
        let mend = format!("chmod 600 {}", quoted(path));
        let told = |what: &str| format!("{} {what} (mode {mode:03o})", path.display());
        if mode & WRITE != 0 {
            return Some(Check::failing(
                CHECK,
                told("can be written by others"),
                mend,
            ));
        }
        (mode & READ != 0).then(|| Check::warning(CHECK, told("can be read by others"), mend))
    }

    /// The folder of the library. Where it is that of the configuration too, it is the person's own
    /// business who may look into it.
    fn folder(path: &Path, base: &Path) -> Option<Check> {
        let mode = mode(path)?;
        let told = |what: &str| format!("{} {what} (mode {mode:03o})", path.display());
        let mend = |mode: &str| format!("chmod {mode} {}", quoted(path));
        if mode & WRITE != 0 {
            let text = told("can be written by others, who can put another library there");
            return Some(Check::failing(CHECK, text, mend("go-w")));
        }
        let is_open = mode & ANY != 0 && path != base;
        is_open.then(|| Check::warning(CHECK, told("is open to others"), mend("700")))
    }

    #[cfg(test)]
    mod tests {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        use super::super::super::Verdict;
        use super::*;

        fn with_mode<T>(
            mode: u32,
            look: impl FnOnce(&Path) -> Option<Check>,
        ) -> (Option<Verdict>, T)
        where
            T: From<String>,
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("f");
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let check = look(&path);
            let mend = check.as_ref().and_then(|check| check.mend.clone());
            let mend = mend.unwrap_or_default();
            let mend = mend.replace(&folder.path().display().to_string(), "");
            (check.map(|check| check.result), T::from(mend))
        }

        #[test]
        fn a_secret_that_others_may_read_fails_with_the_command_that_closes_it() {
            let judged = |mode| with_mode::<String>(mode, secret);
            assert_eq!(judged(0o600), (None, String::new()));
            assert_eq!(
                judged(0o640),
                (Some(Verdict::Failing), "chmod 600 /f".to_owned())
            );
            assert_eq!(judged(0o601).0, Some(Verdict::Failing));
            assert_eq!(secret(Path::new("/nowhere/at/all")), None);
        }

        #[test]
        fn a_configuration_that_others_may_write_fails_and_one_that_they_may_read_warns() {
            let judged = |mode| with_mode::<String>(mode, configuration).0;
            assert_eq!(judged(0o600), None);
            assert_eq!(judged(0o644), Some(Verdict::Warning));
            assert_eq!(judged(0o664), Some(Verdict::Failing));
        }

        #[test]
        fn a_folder_is_its_owners_alone_unless_the_configuration_is_in_it() {
            let judged = |mode| with_mode::<String>(mode, |path| folder(path, Path::new("/")));
            assert_eq!(judged(0o700).0, None);
            assert_eq!(
                judged(0o755),
                (Some(Verdict::Warning), "chmod 700 /f".to_owned())
            );
            assert_eq!(
                judged(0o777),
                (Some(Verdict::Failing), "chmod go-w /f".to_owned())
            );
            assert_eq!(
                with_mode::<String>(0o755, |path| folder(path, path)).0,
                None
            );
        }
    }
}
