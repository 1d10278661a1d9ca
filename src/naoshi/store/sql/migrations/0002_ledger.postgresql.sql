-- The append-only, hash-chained record of decisions. The database itself refuses whatever is not the next entry.

CREATE TABLE ledger (
    sequence BIGINT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    previous TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    added_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the ledger cannot be changed or removed';
END;
$$;

CREATE FUNCTION ledger_require_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_sequence BIGINT;
    last_digest TEXT;
BEGIN
    SELECT sequence, digest INTO last_sequence, last_digest FROM naoshi.ledger ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence IS DISTINCT FROM COALESCE(last_sequence, 0) + 1
        OR NEW.previous IS DISTINCT FROM COALESCE(last_digest, repeat('0', 64)) THEN
        RAISE EXCEPTION 'an entry of the ledger must follow the last one';
    END IF;
    RETURN NEW;
END;
$$;

CREATE TRIGGER ledger_no_change BEFORE UPDATE OR DELETE ON ledger
    FOR EACH ROW EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_follows BEFORE INSERT ON ledger
    FOR EACH ROW EXECUTE FUNCTION ledger_require_next();
