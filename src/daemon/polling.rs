//! Noticing changes below a folder by looking at it again and again.
//!
//! For folders whose system tells nothing: those of other computers, and those beyond a limit. The
//! poller of `notify` knows the times of files to the second only and so misses what is written
//! twice within one; this one compares size and exact time. A file costs eight bytes of memory, and
//! looking takes a twentieth of the time at most, however slow the file system is.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fs::Metadata;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Shortest pause between two looks.
pub(super) const PAUSE: Duration = Duration::from_secs(2);
/// A pause is at least so many times as long as the look before it.
const REST: u32 = 20;
/// Changed files that are told of one look; a reading finds all others too.
const TOLD: usize = 1000;

/// A folder that is looked at, on a thread of its own that ends some time after this is dropped.
#[derive(Debug)]
pub(super) struct Poller {
    // Nothing is ever sent: the thread ends when this is gone.
    _life: Sender<()>,
}

impl Poller {
    /// Looks at a folder and all below it; links are not followed.
    ///
    /// `told` gets the files that are new or changed since the look before. After the first look, of
    /// which nobody knows what came before it, it gets the folder itself.
    pub(super) fn start(
        folder: PathBuf,
        pause: Duration,
        mut told: impl FnMut(Vec<PathBuf>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (life, ended) = channel::<()>();
        let work = move || {
            let state = RandomState::new();
            let mut took = Duration::ZERO;
            let mut known = None;
            loop {
                let begun = Instant::now();
                let (now, changed) = look(&folder, &state, known.as_ref());
                took = took.max(begun.elapsed());
                let changed = match known.replace(now) {
                    Some(_) => changed,
                    None => vec![folder.clone()],
                };
                if !changed.is_empty() {
                    told(changed);
                }
                let pause = pause.max(took.saturating_mul(REST));
                took = Duration::ZERO;
                if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let name = "folder poller".to_owned();
        std::thread::Builder::new().name(name).spawn(work)?;
        Ok(Self { _life: life })
    }
}

/// Digests of all files below a folder with their sizes and times, and which of them are not known.
fn look(
    folder: &Path,
    state: &RandomState,
    known: Option<&HashSet<u64>>,
) -> (HashSet<u64>, Vec<PathBuf>) {
    let mut found = HashSet::new();
    let mut changed = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // One that cannot be listed now is told of when it can be again.
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && let Ok(metadata) = entry.metadata()
            {
                let digest = digest(state, &entry.path(), &metadata);
                let is_known = known.is_none_or(|known| known.contains(&digest));
                if !is_known && changed.len() < TOLD {
                    changed.push(entry.path());
                }
                found.insert(digest);
            }
        }
    }
    (found, changed)
}

fn digest(state: &RandomState, path: &Path, metadata: &Metadata) -> u64 {
    state.hash_one((path, metadata.len(), metadata.modified().ok()))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    fn next(heard: &Receiver<Vec<PathBuf>>) -> Vec<PathBuf> {
        heard.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    #[test]
    fn new_files_and_files_that_grew_within_a_second_are_told_of_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("below")).unwrap();
        std::fs::write(path("below/old"), "old").unwrap();
        let (told, heard) = channel();
        let tell = move |paths| told.send(paths).unwrap();
        let poller =
            Poller::start(folder.path().to_owned(), Duration::from_millis(5), tell).unwrap();
        assert_eq!(next(&heard), [folder.path().to_owned()]);
        let time = std::fs::metadata(path("below/old"))
            .unwrap()
            .modified()
            .unwrap();
        let file = std::fs::File::options()
            .append(true)
            .open(path("below/old"));
        let mut file = file.unwrap();
        std::io::Write::write_all(&mut file, b", and more").unwrap();
        file.set_modified(time).unwrap();
        assert_eq!(next(&heard), [path("below/old")]);
        std::fs::create_dir(path("below/deeper")).unwrap();
        std::fs::rename(path("below/old"), path("below/deeper/moved")).unwrap();
        assert_eq!(next(&heard), [path("below/deeper/moved")]);
        // It ends: then nobody can tell any more.
        drop(poller);
        while heard.recv_timeout(Duration::from_secs(30)).is_ok() {}
        assert_eq!(
            heard.recv_timeout(Duration::ZERO),
            Err(RecvTimeoutError::Disconnected)
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_in_circles_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        std::fs::write(folder.path().join("file"), "text").unwrap();
        let (found, changed) = look(folder.path(), &RandomState::new(), Some(&HashSet::new()));
        assert_eq!(found.len(), 1);
        assert_eq!(changed, [folder.path().join("file")]);
    }
}
