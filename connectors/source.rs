//! Names and ids as checked newtypes: a value of one of these types has the shape it promises.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a name or an id was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A source name of another shape than `^[a-z0-9][a-z0-9_-]{0,63}$`.
    #[error("a source name has 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or digit")]
    Source,
    /// An id that is empty, too long or holds control characters.
    #[error("an id has 1 to {} characters and no control characters", ID_LIMIT)]
    Id,
    /// Something else than `own` or `external`.
    #[error("trust is \"own\" or \"external\"")]
    Trust,
}

/// Longest id that is stored, in bytes.
pub const ID_LIMIT: usize = 512;

/// The name of a source: `^[a-z0-9][a-z0-9_-]{0,63}$` (data model page, Sources).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SourceName(String);

impl SourceName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`NameError::Source`] for another shape.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let name = name.into();
        let shaped = |first: bool, byte: u8| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || (!first && matches!(byte, b'_' | b'-'))
        };
        let good = (1..=64).contains(&name.len())
            && name
                .bytes()
                .enumerate()
                .all(|(at, byte)| shaped(at == 0, byte));
        if good {
            Ok(Self(name))
        } else {
            Err(NameError::Source)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(String);

        impl $name {
            /// Checks an id: 1 to [`ID_LIMIT`] bytes, no control characters.
            ///
            /// # Errors
            /// [`NameError::Id`] for another shape.
            pub fn new(id: impl Into<String>) -> Result<Self, NameError> {
                let id = id.into();
                let good = (1..=ID_LIMIT).contains(&id.len()) && !id.chars().any(char::is_control);
                if good { Ok(Self(id)) } else { Err(NameError::Id) }
            }

            /// The id.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// The id of a unit inside of its source: a session id, a thread id, a task identifier.
    UnitId
);
id_type!(
    /// The id of an item inside of its source: `<unit id>#<locator of its first block>`.
    ExternalId
);
id_type!(
    /// Names the original in its source, such as `claude-code-session:<id>`.
    OriginalRef
);

/// Who wrote a text: oneself and one's agents, or third parties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Written by third parties: to be treated strictly as data.
    External,
    /// Written by the person or their agents.
    Own,
}

impl Trust {
    /// The word of the data model: `own` or `external`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::External => "external",
        }
    }

    /// Lowers this trust to a ceiling; nothing ever raises it.
    #[must_use]
    pub fn capped(self, ceiling: Self) -> Self {
        self.min(ceiling)
    }
}

impl std::str::FromStr for Trust {
    type Err = NameError;

    fn from_str(word: &str) -> Result<Self, NameError> {
        match word {
            "own" => Ok(Self::Own),
            "external" => Ok(Self::External),
            _ => Err(NameError::Trust),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_names_have_the_documented_shape() {
        for good in ["a", "agent-claude-code-laptop", "0_x", &"a".repeat(64)] {
            assert!(SourceName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "_a", "A", "a b", "ä", &"a".repeat(65)] {
            assert_eq!(SourceName::new(bad), Err(NameError::Source), "{bad}");
        }
    }

    #[test]
    fn ids_refuse_emptiness_control_characters_and_excess() {
        assert!(UnitId::new("4b1c2d9e-0000-4000-8000-000000000001").is_ok());
        assert_eq!(UnitId::new(""), Err(NameError::Id));
        assert_eq!(UnitId::new("a\nb"), Err(NameError::Id));
        assert_eq!(UnitId::new("a".repeat(513)), Err(NameError::Id));
    }

    #[test]
    fn trust_is_lowered_and_never_raised() {
        assert_eq!(Trust::Own.capped(Trust::External), Trust::External);
        assert_eq!(Trust::External.capped(Trust::Own), Trust::External);
        assert_eq!("own".parse(), Ok(Trust::Own));
        assert_eq!("Own".parse::<Trust>(), Err(NameError::Trust));
    }
}
