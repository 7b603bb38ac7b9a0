//! Which mails belong together: the connected sets over their ids, with the threads that earlier
//! readings named.
//!
//! Nobody's subject joins anything. The time is that of a union-find, so a thread of thousands and
//! references in a circle cost no more than as many single mails.

use std::collections::HashMap;

use super::bulk::Voice;
use super::known::Thread;

/// A mail of which only the header was read.
#[derive(Debug, Clone)]
pub(super) struct Incoming {
    /// Where it is.
    pub(super) place: super::mailbox::Place,
    /// What it is.
    pub(super) mail: u64,
    /// Ids that lead to its thread.
    pub(super) links: Box<[u64]>,
    /// When it was written, in seconds since 1970; 0 when nobody knows.
    pub(super) written: i64,
    /// What decides whether its thread is wanted.
    pub(super) voice: Voice,
}

/// Mails that belong together, and the threads that they belong to.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Threads named before, the one that stays first.
    pub(super) threads: Vec<Thread>,
    /// Mails that are not known yet, oldest first.
    pub(super) incoming: Vec<Incoming>,
}

impl Group {
    /// When its newest mail was written.
    pub(super) fn newest(&self) -> i64 {
        self.incoming
            .iter()
            .map(|mail| mail.written)
            .max()
            .unwrap_or(0)
    }

    fn order(&self) -> (i64, u64) {
        self.incoming
            .first()
            .map_or((0, 0), |mail| (mail.written, mail.mail))
    }
}

/// Joins mails with each other and with known threads. Groups without a new mail are left out; the
/// others come oldest first.
pub(super) fn groups(threads: Vec<Thread>, incoming: Vec<Incoming>) -> Vec<Group> {
    let mut sets = Sets::new(threads.len() + incoming.len());
    let mut owners: HashMap<u64, usize> = HashMap::new();
    let mut claim = |sets: &mut Sets, id: u64, node: usize| {
        let owner = *owners.entry(id).or_insert(node);
        sets.join(owner, node);
    };
    for (node, thread) in threads.iter().enumerate() {
        for id in thread.mails.iter().chain(&thread.links) {
            claim(&mut sets, *id, node);
        }
    }
    for (at, mail) in incoming.iter().enumerate() {
        for id in mail.links.iter().chain([&mail.mail]) {
            claim(&mut sets, *id, threads.len() + at);
        }
    }
    drop(owners);
    let count = threads.len();
    let mut groups: HashMap<usize, Group> = HashMap::new();
    for (at, mail) in incoming.into_iter().enumerate() {
        let group = groups.entry(sets.root(count + at)).or_default();
        group.incoming.push(mail);
    }
    for (node, thread) in threads.into_iter().enumerate() {
        if let Some(group) = groups.get_mut(&sets.root(node)) {
            group.threads.push(thread);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.incoming.sort_by_key(|mail| (mail.written, mail.mail));
        // The oldest thread keeps its name and takes the others in.
        group
            .threads
            .sort_by(|a, b| (a.first, &a.id).cmp(&(b.first, &b.id)));
    }
    groups.sort_by_key(Group::order);
    groups
}

/// Disjoint sets.
struct Sets(Vec<usize>);

impl Sets {
    fn new(nodes: usize) -> Self {
        Self((0..nodes).collect())
    }

    fn root(&mut self, node: usize) -> usize {
        let mut at = node;
        while let Some(up) = self.0.get(at).copied().filter(|up| *up != at) {
            // Halves the way for the next one.
            let above = self.0.get(up).copied().unwrap_or(up);
            if let Some(place) = self.0.get_mut(at) {
                *place = above;
            }
            at = above;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (low, high) = (one.min(other), one.max(other));
        if let Some(place) = self.0.get_mut(high) {
            *place = low;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mailbox::Place;
    use super::*;

    fn mail(id: u64, links: &[u64]) -> Incoming {
        Incoming {
            place: Place {
                folder: 0,
                number: id,
            },
            mail: id,
            links: links.into(),
            written: i64::try_from(id).unwrap(),
            voice: Voice {
                sender: 0,
                is_own: false,
                is_bulk: false,
                is_list: false,
                is_machine: false,
                is_answer: false,
            },
        }
    }

    fn thread(id: &str, first: i64, mails: &[u64], links: &[u64]) -> Thread {
        Thread {
            id: id.to_owned(),
            first,
            mails: mails.to_vec(),
            links: links.to_vec(),
            state: None,
            was_kept: false,
            tail: None,
        }
    }

    fn told(groups: &[Group]) -> Vec<(Vec<&str>, Vec<u64>)> {
        let told = groups.iter().map(|group| {
            let threads = group
                .threads
                .iter()
                .map(|thread| thread.id.as_str())
                .collect();
            (
                threads,
                group.incoming.iter().map(|mail| mail.mail).collect(),
            )
        });
        told.collect()
    }

    #[test]
    fn siblings_of_a_mail_that_never_came_are_one_thread() {
        let found = groups(
            Vec::new(),
            vec![mail(2, &[102, 900]), mail(1, &[101, 900]), mail(3, &[103])],
        );
        assert_eq!(told(&found), [(vec![], vec![1, 2]), (vec![], vec![3])]);
    }

    #[test]
    fn references_in_a_circle_end() {
        let found = groups(
            Vec::new(),
            vec![
                mail(1, &[101, 102]),
                mail(2, &[102, 103]),
                mail(3, &[103, 101]),
            ],
        );
        assert_eq!(told(&found), [(vec![], vec![1, 2, 3])]);
    }

    #[test]
    fn a_mail_joins_known_threads_and_the_oldest_stays() {
        let threads = vec![
            thread("a", 50, &[10], &[110]),
            thread("b", 40, &[20], &[120, 900]),
            thread("c", 1, &[30], &[]),
        ];
        let found = groups(threads, vec![mail(60, &[160, 110, 900])]);
        assert_eq!(told(&found), [(vec!["b", "a"], vec![60])]);
    }

    #[test]
    fn a_chain_of_many_mails_is_one_thread_soon() {
        let chain = (1..200_000)
            .rev()
            .map(|id| mail(id, &[1_000_000 + id, 1_000_000 + id - 1]));
        assert_eq!(groups(Vec::new(), chain.collect()).len(), 1);
    }
}
