import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { connect } from './connection.ts';
import { logSource } from './source.ts';

test('an append of another process during the search for a loss is not a loss', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const connection = await connect({ path, durability: 'buffered', busyMs: 1000, pollMs: 1000 });
  using other = new DatabaseSync(path);
  other.exec(
    "INSERT INTO conversation (key, id, created_at, updated_at, head, lease_epoch) VALUES (1, 'c', 0, 0, 0, 0)",
  );
  const { eventCount } = connection.statements;
  const count = (key: number) => eventCount.all(key)[0];
  let appended = 0;
  eventCount.get = () => {
    if (appended < 3) {
      const event = `INSERT INTO event (conversation, seq, id, kind, text) VALUES (1, ${appended}, 'e${appended}', 'K', '{}')`;
      appended += 1;
      other.exec(`BEGIN; ${event}; UPDATE conversation SET head = ${appended}; COMMIT`);
    }
    return count(1);
  };
  const source = logSource(connection, { id: 'c', key: 1, closed: connection.closed });
  expect(await source.loss?.()).toBeUndefined();
  expect(appended).toBe(3);
  other.exec('DELETE FROM event WHERE seq = 1');
  expect(await source.loss?.()).toMatchObject({ seq: 1, end: 3 });
  await connection.close(async () => {});
});
