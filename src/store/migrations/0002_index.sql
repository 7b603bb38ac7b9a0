-- The index over words (src/store/index.rs). All of it can be made again from the items.

-- One row: numbers that only grow, and what tells readers that something changed.
CREATE TABLE index_counters (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    next_slot    INTEGER NOT NULL,
    next_segment INTEGER NOT NULL,
    generation   INTEGER NOT NULL
) STRICT;
INSERT INTO index_counters VALUES (1, 1, 1, 0);

-- book: 0 what is stored of items. stage: 0 being built, 1 read, 2 leaving.
CREATE TABLE index_segments (
    id               INTEGER PRIMARY KEY,
    book             INTEGER NOT NULL,
    stage            INTEGER NOT NULL,
    first_slot       INTEGER NOT NULL,
    last_slot        INTEGER NOT NULL,
    documents        INTEGER NOT NULL,
    dead             INTEGER NOT NULL,
    since            INTEGER NOT NULL,  -- no document of it died before this generation
    words            INTEGER NOT NULL,
    letters          INTEGER NOT NULL,
    name_parts       INTEGER NOT NULL,
    document_parts   INTEGER NOT NULL,
    dictionary_parts INTEGER NOT NULL,
    postings         INTEGER NOT NULL,
    stamp            INTEGER NOT NULL
) STRICT;

-- The id holds segment, kind and number, so that a segment's parts stand together.
CREATE TABLE index_parts (
    id    INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE index_slots (
    book INTEGER NOT NULL,
    item INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    PRIMARY KEY (book, item)
) STRICT, WITHOUT ROWID;

-- Slots whose documents are dead, by the generation they died in.
CREATE TABLE index_dead (
    generation INTEGER NOT NULL,
    slot       INTEGER NOT NULL,
    PRIMARY KEY (generation, slot)
) STRICT, WITHOUT ROWID;

-- Items whose words the index does not have as they are. Filled by the triggers below, emptied
-- before the same transaction ends; whoever finds a row here must not trust the index.
CREATE TABLE index_pending (
    book INTEGER NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (book, item)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER index_item_new AFTER INSERT ON items BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, new.id);
END;
CREATE TRIGGER index_item_changed
AFTER UPDATE OF source, occurred_at, title, summary, questions, project ON items
WHEN old.source <> new.source OR old.occurred_at <> new.occurred_at OR old.title <> new.title
    OR old.summary <> new.summary OR old.questions <> new.questions
    OR old.project IS NOT new.project
BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, new.id);
END;
CREATE TRIGGER index_item_gone AFTER DELETE ON items BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, old.id);
END;
CREATE TRIGGER index_atom_new AFTER INSERT ON atoms BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, new.item);
END;
CREATE TRIGGER index_atom_changed AFTER UPDATE OF item, text ON atoms BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, old.item);
    INSERT OR IGNORE INTO index_pending VALUES (0, new.item);
END;
CREATE TRIGGER index_atom_gone AFTER DELETE ON atoms BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, old.item);
END;

INSERT INTO index_pending SELECT 0, id FROM items;
