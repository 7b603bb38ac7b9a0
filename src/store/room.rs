//! Making sure that what is about to be paid for can be stored.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::open::beside;
use super::{Result, Store, StoreError};

/// Bytes that must fit on the disk: many replies, with what they do to log and index.
const ROOM: usize = 8 << 20;
/// Bytes written at a time.
const BLOCK: usize = 64 << 10;

/// Tells the files of this process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Store {
    /// Sees to it that a transaction can begin and that some megabytes more fit on the disk. To be
    /// called before a model is first asked: an answer that cannot be stored is paid for again.
    ///
    /// They are written to a file without a name beside the library, since only that tells of quotas
    /// and limits, and are gone when this returns.
    ///
    /// # Errors
    /// What SQLite and the system say.
    pub fn make_sure_of_room(&self) -> Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
        let Some(library) = self.connection.path().filter(|path| !path.is_empty()) else {
            return Ok(());
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".room-{}-{number}", std::process::id());
        let path = beside(Path::new(library), &name);
        let mut file = new_file(&path).map_err(|cause| {
            let path = path.clone();
            StoreError::File { path, cause }
        })?;
        // Where an open file can lose its name, a kill leaves nothing.
        drop(fs::remove_file(&path));
        let filled = fill(&mut file);
        drop(file);
        drop(fs::remove_file(&path));
        filled.map_err(|cause| StoreError::File { path, cause })
    }
}

/// Makes a file that nobody else has; a name that is taken, or a link, is refused.
fn new_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn fill(file: &mut fs::File) -> io::Result<()> {
    let block = vec![0; BLOCK];
    (0..ROOM / BLOCK).try_for_each(|_| file.write_all(&block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_for_room_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("jezero.db")).unwrap();
        store.make_sure_of_room().unwrap();
        let names = fs::read_dir(folder.path()).unwrap();
        let left = names.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains("room")
        });
        assert_eq!(left.count(), 0);
    }
}
