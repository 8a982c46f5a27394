import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StorageError, type EventStore } from '@varve/storage';
import { expect } from 'vitest';
import { appMain } from '../../../../tests/app-main.ts';
import { programs, runSql } from '../../../../packages/storage-postgres/test/server.ts';

const run = promisify(execFile);

/** Backs up the schema of a URL into a file of a directory, while others write. */
export async function backup(url: string, directory: string): Promise<string> {
  const file = join(directory, 'backup');
  const schema = new URL(url).searchParams.get('schema') ?? '';
  const flags = ['--format=custom', `--file=${file}`, `--schema=${schema}`];
  await run(join(programs ?? '', 'pg_dump'), [...flags, `--dbname=${withoutParameters(url)}`]);
  return file;
}

/** Restores a backup into a new database of the server of a URL, and returns the URL of the copy. */
export async function restored(url: string, file: string): Promise<string> {
  const copy = new URL(url);
  copy.pathname = `/copy_${copy.searchParams.get('schema') ?? ''}`;
  await runSql(url, `CREATE DATABASE ${copy.pathname.slice(1)}`);
  const flags = ['--exit-on-error', `--dbname=${withoutParameters(copy.href)}`];
  await run(join(programs ?? '', 'pg_restore'), [...flags, file]);
  return copy.href;
}

function withoutParameters(url: string): string {
  return url.replace(/\?.*/, '');
}

const event = { id: 'restored', kind: 'MessageEvent', parentId: undefined };

/** Appends to a conversation as soon as its lease ends, which a process holds that still runs. */
export async function appendTo(store: EventStore, id: string): Promise<void> {
  const append = async (): Promise<string> => {
    try {
      await using log = await store.open(id);
      await log.append([{ ...event, text: JSON.stringify({ id: event.id, kind: event.kind }) }]);
      return 'appended';
    } catch (error) {
      if (error instanceof StorageError) return error.code;
      throw error;
    }
  };
  await expect.poll(append).toBe('appended');
}

/** Runs the `varve` command with a home directory and returns its output. @throws {Error} if it fails. */
export async function varve(home: string, args: readonly string[]): Promise<string> {
  const main = appMain('cli');
  const env = { PATH: process.env['PATH'], HOME: home, VARVE_HOME: home };
  const { stdout } = await run(process.execPath, [main, ...args], { env });
  return stdout;
}
