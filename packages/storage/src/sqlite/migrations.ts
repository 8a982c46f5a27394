/**
 * The schema, as the steps that make it: step n brings a database of version n - 1 to version n. Steps are never edited
 * once released; a change is one more step.
 *
 * `meta` stands apart from `conversation` because an append rewrites the whole row that holds the head. The seal of a
 * conversation is that of its last event; rows of version 1 have none until the conversation is opened.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE conversation (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    head INTEGER NOT NULL,
    lease_epoch INTEGER NOT NULL,
    lease_holder TEXT,
    lease_host TEXT,
    lease_pid INTEGER,
    lease_boot TEXT,
    lease_until INTEGER
  ) STRICT;
  CREATE INDEX conversation_by_update ON conversation (updated_at DESC, id DESC);
  CREATE TABLE meta (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (key) ON DELETE CASCADE,
    json TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent_id TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (conversation, seq),
    UNIQUE (conversation, id)
  ) STRICT;
  CREATE TABLE snapshot (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (conversation, name, seq)
  ) STRICT;
  `,
  `
  ALTER TABLE conversation ADD COLUMN seal BLOB;
  ALTER TABLE event ADD COLUMN seal BLOB;
  CREATE TABLE statement (
    number INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX statement_by_event ON statement (conversation, seq);
  CREATE TABLE quarantine (
    number INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX quarantine_by_conversation ON quarantine (conversation);
  `,
];
