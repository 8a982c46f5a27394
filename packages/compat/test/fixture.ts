import { readFileSync } from 'node:fs';
import type { V0Record } from '@varve/interop/records';

/** Returns the records of a trajectory of the tests of `@varve/interop`. */
export function v0Fixture(name: string): readonly V0Record[] {
  const file = new URL(`../../interop/test/fixtures/v0/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly V0Record[];
}

/** Returns a source of ids that are the same in every run. */
export function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
}
