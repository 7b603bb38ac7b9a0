//! Which mail is a newsletter, a notification or automatic; and which threads are wanted.

use super::fields::Fields;
use super::people::Person;

/// Whether the header says that a machine wrote a mail, or that it went to many.
pub(super) fn is_bulk(fields: &Fields<'_>, sender: &Person) -> bool {
    let automatic = fields.word("Auto-Submitted");
    let precedence = fields.word("Precedence");
    let kind = fields.word("Content-Type");
    let return_path = fields.get("Return-Path").map(<[u8]>::trim_ascii);
    (!automatic.is_empty() && !automatic.starts_with("no"))
        || matches!(precedence.as_str(), "bulk" | "junk" | "list" | "auto_reply")
        || [
            "List-Unsubscribe",
            "Feedback-ID",
            "X-Auto-Response-Suppress",
            "X-Autoreply",
            "X-Autorespond",
        ]
        .iter()
        .any(|name| fields.has(name))
        || return_path == Some(b"<>")
        || kind.starts_with("multipart/report")
        || kind.starts_with("text/calendar")
        || sender.is_machine()
}

/// Whether a mail came through a list to which people write.
pub(super) fn is_list(fields: &Fields<'_>) -> bool {
    let post = fields.word("List-Post");
    let precedence = fields.word("Precedence");
    (fields.has("List-Id") || !post.is_empty() || precedence == "list") && !post.starts_with("no")
}

/// What matters of a mail for keeping its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Voice {
    /// Tells its sender from others.
    pub(super) sender: u64,
    /// Whether the owner of the box wrote it.
    pub(super) is_own: bool,
    /// See [`is_bulk`].
    pub(super) is_bulk: bool,
    /// See [`is_list`].
    pub(super) is_list: bool,
    /// Whether nobody reads what is sent to its sender.
    pub(super) is_machine: bool,
    /// Whether it answers another mail.
    pub(super) is_answer: bool,
}

/// Whether a thread is kept: somebody wrote in it, not only machines.
pub(super) fn is_wanted(voices: &[Voice]) -> bool {
    if voices.iter().any(|voice| voice.is_own || !voice.is_bulk) {
        return true;
    }
    // A list on which people talk: bulk by its header, and yet a conversation.
    let mut people: Vec<u64> = voices
        .iter()
        .filter(|voice| voice.is_list && !voice.is_machine)
        .map(|voice| voice.sender)
        .collect();
    people.sort_unstable();
    people.dedup();
    people.len() >= 2 && voices.iter().any(|voice| voice.is_list && voice.is_answer)
}

#[cfg(test)]
mod tests {
    use super::super::people;
    use super::*;

    fn bulk(head: &str) -> bool {
        let fields = Fields::read(head.as_bytes());
        is_bulk(&fields, &people::sender(&fields))
    }

    #[test]
    fn headers_tell_what_machines_send() {
        for head in [
            "Auto-Submitted: auto-replied\n",
            "Precedence: bulk\n",
            "Precedence: List\n",
            "List-Unsubscribe: <mailto:x@y>\n",
            "Feedback-ID: 1:2\n",
            "X-Auto-Response-Suppress: All\n",
            "Return-Path: <>\n",
            "Content-Type: multipart/report; report-type=delivery-status\n",
            "Content-Type: text/calendar; method=REQUEST\n",
            "From: Shop <no-reply@shop.example>\n",
        ] {
            assert!(bulk(head), "{head}");
        }
        for head in [
            "From: ana@example.org\n",
            "Auto-Submitted: no\nReturn-Path: <ana@example.org>\n",
            "Content-Type: text/plain\n",
        ] {
            assert!(!bulk(head), "{head}");
        }
    }

    const VOICE: Voice = Voice {
        sender: 1,
        is_own: false,
        is_bulk: true,
        is_list: false,
        is_machine: false,
        is_answer: false,
    };

    #[test]
    fn a_thread_is_wanted_when_somebody_talks_in_it() {
        let list = Voice {
            is_list: true,
            ..VOICE
        };
        let answer = Voice {
            sender: 2,
            is_answer: true,
            ..list
        };
        let robot = Voice {
            is_machine: true,
            ..answer
        };
        let own = Voice {
            is_own: true,
            ..VOICE
        };
        let person = Voice {
            is_bulk: false,
            ..VOICE
        };
        for (voices, expected) in [
            (vec![VOICE], false),
            (vec![VOICE, own], true),
            (vec![VOICE, person], true),
            (vec![list], false),
            (vec![list, answer], true),
            (vec![list, robot], false),
            (
                vec![
                    VOICE,
                    Voice {
                        is_list: false,
                        ..answer
                    },
                ],
                false,
            ),
        ] {
            assert_eq!(is_wanted(&voices), expected, "{voices:?}");
        }
    }
}
