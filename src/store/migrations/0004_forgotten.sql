-- What was forgotten and must not come back (src/store/forget.rs): digests and numbers, no text.
-- Records of it stay in record_owners under the number of the row here, negative.
CREATE TABLE forgotten (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    what          TEXT    NOT NULL CHECK (what IN ('item', 'unit', 'source')),
    source        INTEGER,           -- null: in every source
    name          BLOB    NOT NULL,  -- digest of the external id, unit id or source name
    unit          BLOB,              -- digest of the unit id, for an item
    original_ref  BLOB,              -- digest of the original ref
    -- For an item: which blocks of its unit. Those without a record id are known by their place.
    from_record   INTEGER,
    from_part     INTEGER,
    until_record  INTEGER,           -- null: to the end, up to the last instant
    until_part    INTEGER,
    last_instant  INTEGER,
    all_records   INTEGER NOT NULL DEFAULT 0,  -- 1: also blocks with a record id
    forgotten_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX forgotten_name ON forgotten (name);
CREATE INDEX forgotten_unit ON forgotten (unit) WHERE unit IS NOT NULL;
CREATE INDEX forgotten_ref ON forgotten (original_ref) WHERE original_ref IS NOT NULL;
