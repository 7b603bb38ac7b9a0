//! The same items in an FTS5 table with the trigram tokenizer, the text outside of it.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::library_generator::Generated;

pub(crate) struct Fts {
    pub(crate) connection: Connection,
}

impl Fts {
    pub(crate) fn create(path: &Path) -> Self {
        let fts = Self::open(path);
        fts.connection
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, external_id TEXT NOT NULL UNIQUE,
                     title TEXT, summary TEXT, questions TEXT, atoms TEXT, project TEXT);
                 CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5 (title, summary, questions, atoms, project,
                     content = '', contentless_delete = 1,
                     tokenize = 'trigram remove_diacritics 1');",
            )
            .unwrap();
        fts
    }

    #[expect(clippy::disallowed_methods, reason = "a file of the bench's own")]
    pub(crate) fn open(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .unwrap();
        connection
            .pragma_update(None, "synchronous", "NORMAL")
            .unwrap();
        connection
            .pragma_update(None, "cache_size", -16_384)
            .unwrap();
        Self { connection }
    }

    /// Inserts or updates items in one transaction.
    pub(crate) fn put(&self, items: &[Generated]) {
        let transaction = self.connection.unchecked_transaction().unwrap();
        for item in items {
            let (questions, atoms) = (item.questions.join("\n"), item.atoms.join("\n"));
            let fields = params![
                item.external_id,
                item.title,
                item.summary,
                questions,
                atoms,
                item.project
            ];
            let sql = "INSERT INTO items (external_id, title, summary, questions, atoms, project)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (external_id) DO UPDATE SET
                       title = excluded.title, summary = excluded.summary RETURNING id";
            let id: i64 = transaction
                .prepare_cached(sql)
                .unwrap()
                .query_row(fields, |row| row.get(0))
                .unwrap();
            let sql =
                "INSERT OR REPLACE INTO fts (rowid, title, summary, questions, atoms, project)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            transaction
                .prepare_cached(sql)
                .unwrap()
                .execute(params![
                    id,
                    item.title,
                    item.summary,
                    questions,
                    atoms,
                    item.project
                ])
                .unwrap();
        }
        transaction.commit().unwrap();
    }

    /// The best 200 for the OR of some terms.
    pub(crate) fn search(&self, terms: &[String]) -> usize {
        let quoted: Vec<String> = terms
            .iter()
            .map(|term| format!("\"{}\"", term.replace('"', "")))
            .collect();
        let sql = "SELECT rowid, bm25(fts, 2.0, 1.0, 1.5, 1.5, 0.5) FROM fts WHERE fts MATCH ?1
                   ORDER BY bm25(fts, 2.0, 1.0, 1.5, 1.5, 0.5) LIMIT 200";
        let mut statement = self.connection.prepare_cached(sql).unwrap();
        let mut rows = statement.query([quoted.join(" OR ")]).unwrap();
        let mut found = 0;
        while rows.next().unwrap().is_some() {
            found += 1;
        }
        found
    }
}
