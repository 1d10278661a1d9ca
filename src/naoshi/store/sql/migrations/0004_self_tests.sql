-- What the gate said of itself, by the hash of suite, policy and version that it holds for.

CREATE TABLE "self_tests" (
    sequence $sequence,
    self_test_id TEXT NOT NULL UNIQUE,
    "key" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "self_tests_by_key" ON "self_tests" ("key", sequence);
