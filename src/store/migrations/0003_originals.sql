-- The originals have an index of their own, and the index knows trust and kinds of atoms. What was
-- indexed in the older form goes; it is made again when the library is next opened for writing.

DELETE FROM index_parts;
DELETE FROM index_segments;
DELETE FROM index_slots;
DELETE FROM index_dead;
DELETE FROM index_pending;
UPDATE index_counters SET generation = generation + 1;

-- book: 0 what is stored of items, 1 their originals. One that is not kept has nothing in the index.
CREATE TABLE index_books (
    book INTEGER PRIMARY KEY,
    kept INTEGER NOT NULL CHECK (kept IN (0, 1))
) STRICT;
INSERT INTO index_books VALUES (0, 1), (1, 1);

DROP TRIGGER index_item_changed;
CREATE TRIGGER index_item_changed
AFTER UPDATE OF source, occurred_at, title, summary, questions, project, trust ON items
WHEN old.source <> new.source OR old.occurred_at <> new.occurred_at OR old.title <> new.title
    OR old.summary <> new.summary OR old.questions <> new.questions
    OR old.project IS NOT new.project OR old.trust <> new.trust
BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, new.id);
END;
DROP TRIGGER index_atom_changed;
CREATE TRIGGER index_atom_changed AFTER UPDATE OF item, kind, text ON atoms BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (0, old.item);
    INSERT OR IGNORE INTO index_pending VALUES (0, new.item);
END;

CREATE TRIGGER index_original_new AFTER INSERT ON originals
WHEN (SELECT kept FROM index_books WHERE book = 1)
BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (1, new.item);
END;
CREATE TRIGGER index_original_changed AFTER UPDATE ON originals
WHEN (SELECT kept FROM index_books WHERE book = 1)
BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (1, old.item);
    INSERT OR IGNORE INTO index_pending VALUES (1, new.item);
END;
CREATE TRIGGER index_original_gone AFTER DELETE ON originals
WHEN (SELECT kept FROM index_books WHERE book = 1)
BEGIN
    INSERT OR IGNORE INTO index_pending VALUES (1, old.item);
END;

INSERT INTO index_pending SELECT 0, id FROM items;
INSERT INTO index_pending SELECT 1, item FROM originals;
