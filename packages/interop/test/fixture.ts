import { readFileSync } from 'node:fs';
import type { LogEntry } from '@varve/events/projections';
import { activeBranch, type ForeignFiles } from '../src/index.ts';
import { writeRecords } from '../src/v0/write-records.ts';
import type { V0Record } from '../src/v0/tool-calls.ts';

/** Returns the text of a file in `fixtures`. */
export function fixtureText(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8');
}

/** Returns the records of a trajectory in `fixtures/v0`. */
export function v0Fixture(name: string): readonly V0Record[] {
  return JSON.parse(fixtureText(`v0/${name}.json`)) as readonly V0Record[];
}

/** Returns a source of ids that are the same in every run. */
export function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
}

/** Returns files in memory by path. */
export function filesOf(name: string, texts: Readonly<Record<string, string | undefined>>): ForeignFiles {
  return {
    name,
    paths: Object.keys(texts).toSorted(),
    start: async (path) => texts[path]?.slice(0, 4096) ?? '',
    text: async (path) => texts[path],
  };
}

/** Exports a log as V0 records, as JSON. */
export async function exported(entries: readonly LogEntry[]): Promise<readonly V0Record[]> {
  const { events } = await activeBranch(entries);
  return JSON.parse(JSON.stringify(writeRecords(events).records)) as readonly V0Record[];
}
