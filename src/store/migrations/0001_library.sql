-- The library as it was first laid out. Never edited: a change is a new file.
-- Instants are whole seconds since 1970 in UTC. JSON columns hold arrays or objects of text.

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A session, thread or task as a whole. What retag and resummarize need is kept here, since
-- sources vanish.
CREATE TABLE units (
    id           INTEGER PRIMARY KEY,
    source       INTEGER NOT NULL REFERENCES sources (id),
    unit_id      TEXT    NOT NULL,
    original_ref TEXT,
    account      TEXT,
    title_hint   TEXT,
    named        TEXT,
    cwd          TEXT,
    trust        TEXT    NOT NULL CHECK (trust IN ('own', 'external')),
    layout       INTEGER NOT NULL,            -- the max_input_chars its segments were cut with
    pending      INTEGER NOT NULL DEFAULT 0,  -- 1 while a segment of it failed
    records      INTEGER NOT NULL DEFAULT 0,  -- rows of record_owners that it has
    seen         BLOB,                        -- salted digests of the secrets found in it
    UNIQUE (source, unit_id)
) STRICT;

CREATE TABLE items (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused
    source        INTEGER NOT NULL REFERENCES sources (id),
    unit          INTEGER REFERENCES units (id),
    external_id   TEXT    NOT NULL,
    occurred_at   INTEGER NOT NULL,
    ingested_at   INTEGER NOT NULL,
    title         TEXT    NOT NULL,
    summary       TEXT    NOT NULL,
    questions     TEXT    NOT NULL DEFAULT '[]',
    project       TEXT,
    account       TEXT,
    original_ref  TEXT,
    trust         TEXT    NOT NULL CHECK (trust IN ('own', 'external')),
    content_hash  TEXT    NOT NULL,
    record        INTEGER NOT NULL DEFAULT 0,  -- locator of its first block
    record_part   INTEGER NOT NULL DEFAULT 0,
    part          INTEGER NOT NULL DEFAULT 1,  -- part n of N
    parts         INTEGER NOT NULL DEFAULT 1,
    rules_version INTEGER NOT NULL,
    summary_by    TEXT    NOT NULL,
    redactions    TEXT    NOT NULL DEFAULT '{}',
    UNIQUE (source, external_id)
) STRICT;
CREATE INDEX items_occurred ON items (occurred_at, id);
CREATE INDEX items_project ON items (project, occurred_at);
CREATE INDEX items_source ON items (source, occurred_at);
CREATE INDEX items_unit ON items (unit) WHERE unit IS NOT NULL;

CREATE TABLE atoms (
    item    INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    kind    TEXT    NOT NULL
        CHECK (kind IN ('decision', 'rationale', 'fix', 'error', 'command', 'fact', 'risk')),
    text    TEXT    NOT NULL CHECK (text <> ''),
    PRIMARY KEY (item, ordinal)
) STRICT, WITHOUT ROWID;

-- Redacted originals, each a zstd frame. Apart from items, so that scans of items stay short.
CREATE TABLE originals (
    item INTEGER PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    zstd BLOB NOT NULL
) STRICT;

CREATE TABLE marks (
    source        INTEGER NOT NULL REFERENCES sources (id),
    key           TEXT    NOT NULL,
    value         TEXT    NOT NULL,  -- empty after a reset
    identity      TEXT    NOT NULL,  -- outlives a reset
    layout        INTEGER NOT NULL,
    tail_record   INTEGER,
    tail_part     INTEGER,
    tail_position INTEGER,
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

-- Which unit first brought a record, and where it stands there.
CREATE TABLE record_owners (
    source INTEGER NOT NULL,
    key    INTEGER NOT NULL,
    unit   INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE connector_state (
    name            TEXT NOT NULL PRIMARY KEY,
    last_run_at     INTEGER,
    last_success_at INTEGER,
    last_item_at    INTEGER,
    last_error      TEXT,
    last_report     TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    id         INTEGER PRIMARY KEY,
    connector  TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    report     TEXT    NOT NULL
) STRICT;
CREATE INDEX runs_connector ON runs (connector, started_at);
