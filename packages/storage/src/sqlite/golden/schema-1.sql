-- A database as version 1 wrote it, held by a process of another host.
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
INSERT INTO conversation VALUES
  (1, 'free', 1750000000000, 1750000001000, 2, 3, NULL, NULL, NULL, NULL, NULL),
  (2, 'held', 1750000000000, 1750000002000, 0, 1, 'd1c5', 'elsewhere', 17, '', 1750000030000);
INSERT INTO meta VALUES (1, '{"title":"Fix é"}'), (2, 'null');
INSERT INTO event VALUES
  (1, 0, 'a', 'SystemPromptEvent', NULL, '{ "kind" : "SystemPromptEvent" }'),
  (1, 1, 'b', 'MessageEvent', 'a', '{"text":"é"}');
INSERT INTO snapshot VALUES (1, 'view@1', 2, '{"ids":["a","b"]}');
PRAGMA application_id = 0x76617276;
PRAGMA user_version = 1;
