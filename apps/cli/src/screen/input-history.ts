import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { parseJson } from '@varve/text';
import { varveHome } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Inputs that a new session knows. */
const maxKept = 200;

/** Returns the inputs of earlier sessions, in a file of varve's data directory that only the user can read. */
export function inputHistory(io: TerminalIo) {
  const directory = varveHome(io);
  const file = join(directory, 'inputs.jsonl');
  return {
    /** Returns the last inputs, the oldest first. */
    async read(): Promise<readonly string[]> {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text
        .split('\n')
        .slice(-maxKept - 1)
        .flatMap((line) => inputIn(line));
    },
    /** Adds an input. A session works without its history, so failures are ignored. */
    async add(input: string): Promise<void> {
      try {
        makeDirectories(directory, 0o700);
        await appendFile(file, `${JSON.stringify(input)}\n`, { mode: 0o600 });
      } catch {
        // A full disk or a directory without rights.
      }
    },
  };
}

function inputIn(line: string): readonly string[] {
  const input = parseJson(line);
  return typeof input === 'string' ? [input] : [];
}
