import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';

/** Program that begins a transaction, reports it, and keeps it open. */
const program = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  console.log('locked');
  setInterval(() => {}, 1000);
`;

test.skipIf(!existsSync('/proc/locks'))(
  'a process that is stopped within a commit is named, and ending it frees the store',
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const path = join(directory.path, 'store.db');
    await using store = await sqliteStore({ path, busyMs: 100 });
    const child = spawn(process.execPath, ['--no-warnings', '--eval', program, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      await expect(store.create('a', {})).rejects.toThrow(`${path} stayed locked by process ${child.pid}.`);
      child.kill('SIGSTOP');
      await expect
        .poll(async () => store.create('b', {}).catch((error: Error) => error.message), { timeout: 20_000 })
        .toBe(`${path} stayed locked by process ${child.pid}, which is stopped.`);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    await expect(store.create('c', {})).resolves.toBeDefined();
  },
);
