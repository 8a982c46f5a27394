import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lazy } from '@varve/events';
import { makeDirectories, writeAtomically } from '@varve/files';
import type { Replicas } from '@varve/storage';
import * as z from 'zod';
import { ifMissing } from '../error.ts';

/** Record of the tasks that a process executes, by which another one receives them if this one ends. */
export interface RunningTasks extends AsyncDisposable {
  /** Records that a task is running. */
  begin(id: string): Promise<void>;
  /** Returns false if another process has received a task. */
  isOwn(id: string): Promise<boolean>;
  /** Removes a task whose end is stored. */
  end(id: string): void;
  /** Records that the end of a task could not be stored. */
  fail(id: string): void;
}

/** Lists of the tasks that processes execute, one per process, as texts with versions. */
export interface TaskLists extends Pick<Replicas['records'], 'read' | 'write' | 'remove'> {
  names(): Promise<readonly string[]>;
}

const fileSchema = lazy(() => z.object({ text: z.string(), version: z.int() }));

/** Files that are being written have other names. */
const pattern = /^[\da-f-]{36}$/;

/** Returns the lists of a directory, as files. Of two processes that replace one at the same time both succeed. */
export function directoryLists(directory: string): TaskLists {
  const read: TaskLists['read'] = async (name) => {
    const json = await readFile(join(directory, name), 'utf8').catch(ifMissing(undefined));
    return json === undefined ? { text: undefined, version: 0 } : fileSchema().parse(JSON.parse(json));
  };
  return {
    async names() {
      const files = await readdir(directory).catch(ifMissing<readonly string[]>([]));
      return files.filter((name) => pattern.test(name));
    },
    read,
    async write(name, text, expectedVersion) {
      const { version } = await read(name);
      if (version !== expectedVersion) return false;
      makeDirectories(directory, 0o700);
      await writeAtomically(join(directory, name), JSON.stringify({ text, version: version + 1 }), { mode: 0o600 });
      return true;
    },
    remove: (name) => rm(join(directory, name), { force: true }),
  };
}
