-- One row a conversation: the pending question and what tells late replies from fresh ones, as JSON.

CREATE TABLE confirmations (
    conversation_key TEXT PRIMARY KEY,
    revision BIGINT NOT NULL,
    body TEXT NOT NULL,
    added_at $moment
);
