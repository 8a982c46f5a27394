import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, makeDirectories, writeAtomically } from '@varve/files';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { varveHome } from './varve-home.ts';

const record = z.object({ url: z.string(), key: z.string(), store: z.string() });

/** Server of this user on this machine, which other commands of the user can reach. */
export type RunningServer = z.infer<typeof record>;

/**
 * Records a server in varve's data directory, which only the user can read, until the result is disposed: a session
 * reaches conversations that the server holds.
 */
export async function announceServer(server: RunningServer, io: TerminalIo): Promise<Disposable> {
  const directory = directoryOf(io);
  makeDirectories(directory, 0o700);
  const file = join(directory, `${process.pid}.json`);
  await writeAtomically(file, JSON.stringify(server), { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** Returns the running servers of a store. Records of processes that have ended are removed. */
export function runningServers(store: string, io: TerminalIo): readonly RunningServer[] {
  const directory = directoryOf(io);
  return filesIn(directory).flatMap((name) => {
    const file = join(directory, name);
    if (!isRunning(Number.parseInt(name, 10))) {
      rmSync(file, { force: true });
      return [];
    }
    const { data } = record.safeParse(parseJson(textOf(file)));
    return data?.store === store ? [data] : [];
  });
}

function directoryOf(io: TerminalIo): string {
  return join(varveHome(io), 'servers');
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    // There is none before the first server.
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
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
