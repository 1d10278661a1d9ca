-- One table a noun: its identifier, the fields that may be asked for, and the record itself as JSON.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at $moment
);

CREATE TABLE "traces" (
    sequence $sequence,
    trace_id TEXT NOT NULL UNIQUE,
    "agent_version" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "traces_by_agent_version" ON "traces" ("agent_version", sequence);

CREATE TABLE "quarantine" (
    sequence $sequence,
    quarantine_id TEXT NOT NULL UNIQUE,
    "file" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "quarantine_by_file" ON "quarantine" ("file", sequence);

CREATE TABLE "corrections" (
    sequence $sequence,
    correction_id TEXT NOT NULL UNIQUE,
    "trace_id" TEXT,
    "document" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "corrections_by_trace_id" ON "corrections" ("trace_id", sequence);
CREATE INDEX "corrections_by_document" ON "corrections" ("document", sequence);

CREATE TABLE "triages" (
    sequence $sequence,
    triage_id TEXT NOT NULL UNIQUE,
    "correction_id" TEXT,
    "decision" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "triages_by_correction_id" ON "triages" ("correction_id", sequence);
CREATE INDEX "triages_by_decision" ON "triages" ("decision", sequence);

CREATE TABLE "decisions" (
    sequence $sequence,
    decision_id TEXT NOT NULL UNIQUE,
    "kind" TEXT,
    "actor" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "decisions_by_kind" ON "decisions" ("kind", sequence);
CREATE INDEX "decisions_by_actor" ON "decisions" ("actor", sequence);

CREATE TABLE "signals" (
    sequence $sequence,
    signal_id TEXT NOT NULL UNIQUE,
    "trace_id" TEXT,
    "source" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "signals_by_trace_id" ON "signals" ("trace_id", sequence);
CREATE INDEX "signals_by_source" ON "signals" ("source", sequence);

CREATE TABLE "groups" (
    sequence $sequence,
    group_id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    added_at $moment
);

CREATE TABLE "cases" (
    sequence $sequence,
    case_id TEXT NOT NULL UNIQUE,
    "split" TEXT,
    "category" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "cases_by_split" ON "cases" ("split", sequence);
CREATE INDEX "cases_by_category" ON "cases" ("category", sequence);

CREATE TABLE "runs" (
    sequence $sequence,
    run_id TEXT NOT NULL UNIQUE,
    "version" TEXT,
    "suite" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "runs_by_version" ON "runs" ("version", sequence);
CREATE INDEX "runs_by_suite" ON "runs" ("suite", sequence);

CREATE TABLE "baselines" (
    sequence $sequence,
    baseline_id TEXT NOT NULL UNIQUE,
    "version" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "baselines_by_version" ON "baselines" ("version", sequence);

CREATE TABLE "verdicts" (
    sequence $sequence,
    verdict_id TEXT NOT NULL UNIQUE,
    "outcome" TEXT,
    "candidate_run_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "verdicts_by_outcome" ON "verdicts" ("outcome", sequence);
CREATE INDEX "verdicts_by_candidate_run_id" ON "verdicts" ("candidate_run_id", sequence);

CREATE TABLE "diagnoses" (
    sequence $sequence,
    diagnosis_id TEXT NOT NULL UNIQUE,
    "agent_version" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "diagnoses_by_agent_version" ON "diagnoses" ("agent_version", sequence);

CREATE TABLE "handoffs" (
    sequence $sequence,
    handoff_id TEXT NOT NULL UNIQUE,
    "agent_version" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "handoffs_by_agent_version" ON "handoffs" ("agent_version", sequence);

CREATE TABLE "changes" (
    sequence $sequence,
    change_id TEXT NOT NULL UNIQUE,
    "handoff_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "changes_by_handoff_id" ON "changes" ("handoff_id", sequence);

CREATE TABLE "attempts" (
    sequence $sequence,
    attempt_id TEXT NOT NULL UNIQUE,
    "handoff_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "attempts_by_handoff_id" ON "attempts" ("handoff_id", sequence);

CREATE TABLE "certificates" (
    sequence $sequence,
    certificate_id TEXT NOT NULL UNIQUE,
    "change_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "certificates_by_change_id" ON "certificates" ("change_id", sequence);

CREATE TABLE "reviews" (
    sequence $sequence,
    review_id TEXT NOT NULL UNIQUE,
    "change_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "reviews_by_change_id" ON "reviews" ("change_id", sequence);

CREATE TABLE "versions" (
    sequence $sequence,
    version_id TEXT NOT NULL UNIQUE,
    "name" TEXT,
    "number" BIGINT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "versions_by_name" ON "versions" ("name", sequence);
CREATE INDEX "versions_by_number" ON "versions" ("number", sequence);

CREATE TABLE "releases" (
    sequence $sequence,
    release_id TEXT NOT NULL UNIQUE,
    "version" TEXT,
    "change_id" TEXT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "releases_by_version" ON "releases" ("version", sequence);
CREATE INDEX "releases_by_change_id" ON "releases" ("change_id", sequence);

CREATE TABLE "cycles" (
    sequence $sequence,
    cycle_id TEXT NOT NULL UNIQUE,
    "state" TEXT,
    "number" BIGINT,
    body TEXT NOT NULL,
    added_at $moment
);
CREATE INDEX "cycles_by_state" ON "cycles" ("state", sequence);
CREATE INDEX "cycles_by_number" ON "cycles" ("number", sequence);
