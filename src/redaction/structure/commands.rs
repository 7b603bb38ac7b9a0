//! Commands that take a password among their arguments, and where it stands there.

/// What a flag is followed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A password, in the same word or the next.
    Password,
    /// A password in the same word only.
    Joined,
    /// A user, a sign and a password.
    Pair(u8),
    /// `pass:` and a password.
    Source,
    /// Cookies.
    Cookies,
}

/// Which of the words that are no flags is a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The word of this number, from 0.
    Nth(usize),
    /// The word of this number, unless what it names is open to all (`public`).
    Community(usize),
    /// The last of at least one, unless a flag says that it is read from elsewhere.
    Last,
    /// `[file] user password` behind a flag with the letter `b`.
    Htpasswd,
    /// The word beside a share and a drive.
    Share,
    /// The second of `name password`, which prose must not be taken for.
    Account,
    /// The second word behind one of these.
    Behind(&'static [&'static str]),
    /// `user/password`, up to an `@`.
    Slash,
    /// `user:password@host`.
    Userinfo,
    /// The word behind `<<<`; of `user:password` the second part.
    HereString,
    /// Behind `AUTH` in capitals at the beginning of a line or behind a prompt.
    Auth,
}

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// How its line begins.
    pub(super) name: &'static str,
    pub(super) flags: &'static [(&'static str, Takes)],
    pub(super) place: Option<Place>,
}

const fn flags(name: &'static str, flags: &'static [(&'static str, Takes)]) -> Command {
    Command {
        name,
        flags,
        place: None,
    }
}

const fn place(name: &'static str, place: Place) -> Command {
    Command {
        name,
        flags: &[],
        place: Some(place),
    }
}

const P: &[(&str, Takes)] = &[("-p", Takes::Password)];
const UPPER_P: &[(&str, Takes)] = &[("-P", Takes::Password)];
const JOINED_P: &[(&str, Takes)] = &[("-p", Takes::Joined)];
const W: &[(&str, Takes)] = &[("-w", Takes::Password)];
const SNMP: &[(&str, Takes)] = &[("-A", Takes::Password), ("-X", Takes::Password)];
const BODY: &[(&str, Takes)] = &[("-b", Takes::Password), ("--body", Takes::Password)];
const STORE: &[(&str, Takes)] = &[
    ("-storepass", Takes::Password),
    ("-keypass", Takes::Password),
];

/// All of them.
pub(super) const COMMANDS: &[Command] = &[
    flags("sshpass", P),
    flags(
        "curl",
        &[
            ("-u", Takes::Pair(b':')),
            ("--user", Takes::Pair(b':')),
            ("-U", Takes::Pair(b':')),
            ("--proxy-user", Takes::Pair(b':')),
            ("-b", Takes::Cookies),
            ("--cookie", Takes::Cookies),
        ],
    ),
    flags("mysql", JOINED_P),
    flags("mariadb", JOINED_P),
    flags("docker login", P),
    flags("podman login", P),
    flags("registry login", P),
    flags(
        "redis-cli",
        &[("-a", Takes::Password), ("--pass", Takes::Password)],
    ),
    flags("mongo", P),
    flags("ldapsearch", W),
    flags("ldapadd", W),
    flags("ldapmodify", W),
    flags("ldapdelete", W),
    flags("ldapwhoami", W),
    flags(
        "ldappasswd",
        &[
            ("-w", Takes::Password),
            ("-s", Takes::Password),
            ("-a", Takes::Password),
        ],
    ),
    flags("sqlcmd", UPPER_P),
    flags("bcp ", UPPER_P),
    flags("smbclient", &[("-U", Takes::Pair(b'%'))]),
    flags("unzip", UPPER_P),
    flags("zip ", UPPER_P),
    flags("7z ", JOINED_P),
    flags("unrar", JOINED_P),
    flags(
        "http ",
        &[("-a", Takes::Pair(b':')), ("--auth", Takes::Pair(b':'))],
    ),
    flags("wget", &[("--http-password", Takes::Password)]),
    flags("keytool", STORE),
    flags("jarsigner", STORE),
    flags("ssh-keygen", &[("-N", Takes::Password)]),
    flags("useradd", P),
    flags("usermod", P),
    flags("snmpwalk", SNMP),
    flags("snmpget", SNMP),
    flags("snmpset", SNMP),
    flags("xfreerdp", &[("/p:", Takes::Joined)]),
    flags("rdesktop", P),
    flags("evil-winrm", P),
    flags("crackmapexec", P),
    flags("netexec", P),
    flags("lftp", &[("-u", Takes::Pair(b','))]),
    flags("ncftp", P),
    flags("mosquitto_", UPPER_P),
    Command {
        name: "openssl",
        flags: &[
            ("-passin", Takes::Source),
            ("-passout", Takes::Source),
            ("-pass", Takes::Source),
            ("-k", Takes::Password),
        ],
        place: None,
    },
    place("openssl passwd", Place::Last),
    flags("az login", P),
    flags("secret set", BODY),
    flags("secret put", BODY),
    flags("create secret", &[("--from-literal", Takes::Pair(b'='))]),
    place("htpasswd", Place::Htpasswd),
    place("net use", Place::Share),
    place("net user", Place::Account),
    place(
        "rabbitmqctl",
        Place::Behind(&["add_user", "change_password", "authenticate_user"]),
    ),
    place("wpa_passphrase", Place::Nth(1)),
    place("snmp-server community", Place::Community(0)),
    place("sqlplus", Place::Slash),
    place("oracle:thin:", Place::Slash),
    place("oracle:oci:", Place::Slash),
    place("impacket-", Place::Userinfo),
    place("secretsdump", Place::Userinfo),
    place("psexec.py", Place::Userinfo),
    place("wmiexec", Place::Userinfo),
    place("chpasswd", Place::HereString),
    place("cryptsetup", Place::HereString),
    place("sudo -s ", Place::HereString),
    place("auth ", Place::Auth),
];

/// What reads a password that `echo` or `printf` sends through a pipe.
pub(super) const READERS: &[&str] = &[
    "--password-stdin",
    "sudo -S",
    "chpasswd",
    "passwd --stdin",
    "cryptsetup",
    "secret put",
    "secret set",
];
