-- Repairs with their attempts, and the pull requests of certified changes.

CREATE TABLE "repairs" (
    sequence $sequence,
    repair_id TEXT NOT NULL UNIQUE,
    "state" TEXT,
    "cycle_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "repairs_by_state" ON "repairs" ("state", sequence);
CREATE INDEX "repairs_by_cycle_id" ON "repairs" ("cycle_id", sequence);

CREATE TABLE "proposals" (
    sequence $sequence,
    proposal_id TEXT NOT NULL UNIQUE,
    "change_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "proposals_by_change_id" ON "proposals" ("change_id", sequence);
