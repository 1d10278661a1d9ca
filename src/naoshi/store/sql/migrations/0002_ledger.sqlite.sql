-- The append-only, hash-chained record of decisions. The database itself refuses whatever is not the next entry.

CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    previous TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    added_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'an entry of the ledger cannot be changed');
END;

CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'an entry of the ledger cannot be removed');
END;

CREATE TRIGGER ledger_follows BEFORE INSERT ON ledger
WHEN NEW.sequence IS NOT (SELECT COALESCE(MAX(sequence), 0) + 1 FROM ledger)
    OR NEW.previous IS NOT COALESCE(
        (SELECT digest FROM ledger ORDER BY sequence DESC LIMIT 1),
        '0000000000000000000000000000000000000000000000000000000000000000'
    )
BEGIN
    SELECT RAISE(ABORT, 'an entry of the ledger must follow the last one');
END;
