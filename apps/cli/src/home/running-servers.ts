import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories, writeAtomically } from '@varve/files';
import { isDead, isVisible, thisProcess } from '@varve/storage/kit';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { fileProblem } from '../failures/file-problem.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { varveHome } from './varve-home.ts';

/** Server of this user on this machine, which other commands of the user can reach. */
export interface RunningServer {
  readonly url: string;
  readonly key: string;
  /** Address of its store. */
  readonly store: string;
}

/** Server with its process, as it is recorded. */
const record = z.object({
  url: z.string(),
  key: z.string(),
  store: z.string(),
  host: z.string(),
  pid: z.number(),
  boot: z.string(),
});

/**
 * Records a server in varve's data directory, which only the user can read, until the result is disposed: a session
 * reaches conversations that the server holds. Without space for the record it prints that.
 */
export async function announceServer(server: RunningServer, io: TerminalIo): Promise<Disposable> {
  const directory = directoryOf(io);
  const file = join(directory, `${randomUUID()}.json`);
  try {
    makeDirectories(directory, 0o700);
    await writeAtomically(file, JSON.stringify({ ...server, ...thisProcess() }), { mode: 0o600 });
  } catch (error) {
    // A full disk or a read-only one: clients need no record.
    io.stderr.line(styled('yellow', fileProblem(file, 'written', error)));
    return new DisposableStack();
  }
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/**
 * Returns the running servers of a store; without one, all of them. Records of processes that have ended are removed;
 * those of other machines, which may share the directory, are not.
 */
export function runningServers(store: string | undefined, io: TerminalIo): readonly RunningServer[] {
  const directory = directoryOf(io);
  const self = thisProcess();
  return filesIn(directory).flatMap((name) => {
    const file = join(directory, name);
    const { data } = record.safeParse(parseJson(textOf(file)));
    if (data?.host !== self.host) return [];
    if (isVisible(data, self) && !isDead(data, self)) return [data.store, undefined].includes(store) ? [data] : [];
    rmSync(file, { force: true });
    return [];
  });
}

function directoryOf(io: TerminalIo): string {
  return join(varveHome(io), 'servers');
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    // The first server creates the directory.
    return [];
  }
}

/** A server may remove its record at any time, and one of another user cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
