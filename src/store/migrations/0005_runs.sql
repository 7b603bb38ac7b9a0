-- Runs are noted when they begin, so that one that was killed is told of.
CREATE TABLE runs_noted (
    id         INTEGER PRIMARY KEY,
    connector  TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,           -- null: it has not ended, or nobody noted when
    outcome    TEXT    NOT NULL
        CHECK (outcome IN ('running', 'ok', 'failed', 'interrupted')),
    report     TEXT               -- its counts as JSON; null until it has ended
) STRICT;
-- Places of what was passed over are kept of the last run alone (connector_state.last_report).
INSERT INTO runs_noted (id, connector, started_at, ended_at, outcome, report)
SELECT id, connector, started_at, ended_at,
       CASE WHEN json_valid(report) AND json_extract(report, '$.failed') > 0 THEN 'failed' ELSE 'ok' END,
       CASE WHEN json_valid(report) THEN json_remove(report, '$.passed_over') ELSE report END
FROM runs;
DROP TABLE runs;
ALTER TABLE runs_noted RENAME TO runs;
CREATE INDEX runs_connector ON runs (connector, id);
CREATE INDEX runs_running ON runs (outcome) WHERE outcome = 'running';

-- Sums over all runs, since the history is pruned and counters must not fall.
ALTER TABLE connector_state ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connector_state ADD COLUMN failed_runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connector_state ADD COLUMN items_stored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connector_state ADD COLUMN records_skipped INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connector_state ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connector_state ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
