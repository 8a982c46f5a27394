import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nameLine } from '../files/name-line.ts';
import { isInside, realPathOf } from '../files/real-path.ts';
import { isRefusal, type Refusal, refuseFailure } from '../files/refusal.ts';
import type { Target } from '../files/target.ts';

interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
}

/** Limits of a listing. */
export interface ListingOptions {
  readonly maxChars: number;
  /** Linked directories outside of these are listed but not opened. Undefined: all are opened. */
  readonly roots: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Lists a directory, two levels deep, sorted, without hidden entries. Directories end in `/`.
 *
 * @throws the reason of the signal when it has aborted.
 */
export async function viewDirectory({ path, real }: Target, options: ListingOptions): Promise<string | Refusal> {
  const top = await readdir(real, { withFileTypes: true }).catch((error: unknown) =>
    refuseFailure('Listing', path, error),
  );
  if (isRefusal(top)) return top;
  const lines = [`${path.replace(/(?<!\/)\/+$/, '')}/`];
  for (const entry of await visibleEntries(path, top)) {
    options.signal.throwIfAborted();
    lines.push(lineOf(entry));
    if (!entry.isDirectory || !mayOpen(entry.path, options)) continue;
    for (const line of await childLines(entry.path)) lines.push(line);
  }
  const hidden = top.filter(({ name }) => name.startsWith('.')).length;
  const note =
    hidden > 0
      ? `\n\n[${hidden} hidden ${hidden === 1 ? 'entry' : 'entries'} in this directory not shown; \`ls -la ${path}\` lists them.]`
      : '';
  return `Files and directories in ${path}, 2 levels deep, without hidden ones:\n${limitLines(lines, options.maxChars)}${note}`;
}

function mayOpen(path: string, { roots }: ListingOptions): boolean {
  return roots === undefined || isInside(realPathOf(path), roots);
}

async function childLines(path: string): Promise<readonly string[]> {
  // An unreadable directory is listed without its entries.
  const children = await readdir(path, { withFileTypes: true }).catch(() => []);
  return (await visibleEntries(path, children)).map(lineOf);
}

async function visibleEntries(parent: string, entries: readonly Dirent[]): Promise<readonly Entry[]> {
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  visible.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(
    visible.map(async (entry) => {
      const path = join(parent, entry.name);
      return { path, isDirectory: entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToDirectory(path))) };
    }),
  );
}

async function leadsToDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function lineOf({ path, isDirectory }: Entry): string {
  return nameLine(isDirectory ? `${path}/` : path);
}

function limitLines(lines: readonly string[], maxChars: number): string {
  let length = 0;
  const kept = lines.findIndex((line) => (length += line.length + 1) > maxChars);
  if (kept < 0) return lines.join('\n');
  return [
    ...lines.slice(0, kept),
    `[${lines.length - kept} more entries left out; view a directory further down.]`,
  ].join('\n');
}
