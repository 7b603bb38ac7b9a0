//! Which file systems tell nothing of what other computers, or other programs behind them, change.

use std::path::Path;

/// What a folder lies on, when the system tells only of a part of the changes there.
#[cfg(target_os = "linux")]
pub(super) fn remote(folder: &Path) -> Option<&'static str> {
    let magic = u64::try_from(rustix::fs::statfs(folder).ok()?.f_type).ok()?;
    name(magic & 0xffff_ffff)
}

/// Other systems are not asked; what they do not tell of is read at its interval.
#[cfg(not(target_os = "linux"))]
pub(super) fn remote(_: &Path) -> Option<&'static str> {
    None
}

/// Names a file system by its number in `statfs(2)`.
#[cfg(any(target_os = "linux", test))]
fn name(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b | 0xfe53_4d42 | 0xff53_4d42 => "SMB",
        // Also sshfs, rclone, virtiofs and the like.
        0x6573_5546 => "FUSE",
        0x0102_1997 => "9P",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x00c3_6400 => "Ceph",
        0x7375_7245 => "Coda",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x0116_1970 => "GFS2",
        0x7461_636f => "OCFS2",
        // Folders that a virtual machine shares with the computer it runs on.
        0x786f_4256 => "VirtualBox",
        0xbacb_acbc => "VMware",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_computers_are_known_by_their_numbers() {
        let names = [0x6969, 0xfe53_4d42, 0x6573_5546, 0x0102_1997].map(name);
        assert_eq!(names, [Some("NFS"), Some("SMB"), Some("FUSE"), Some("9P")]);
        // ext4, btrfs, tmpfs, overlay
        let local = [0xef53, 0x9123_683e, 0x0102_1994, 0x794c_7630].map(name);
        assert_eq!(local, [None; 4]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_of_the_kernel_lies_on_no_other_computer() {
        assert_eq!(remote(Path::new("/proc")), None);
        assert_eq!(remote(Path::new("/nowhere/at/all")), None);
    }
}
