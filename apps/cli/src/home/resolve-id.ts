import { canonicalId, StorageError, type EventStore, type Summary } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';

/** Matching ids that an error names. */
const maxNamed = 5;

/**
 * Returns the full id for a full one or for the first characters of one.
 *
 * @throws {CliError} `missing` if no conversation matches, `usage` if several do.
 */
export async function resolveId(store: EventStore, typed: string): Promise<string> {
  const exact = (await summaryOf(store, typed)) ?? (await summaryOf(store, canonicalId(typed)));
  if (exact) return exact.id;
  const matches = typed === '' ? [] : await idsWith(store, [typed, prefixOf(typed)]);
  const [match] = matches;
  if (match === undefined) {
    throw new CliError(
      exitCodes.missing,
      `No conversation matches "${typed}".`,
      '`varve ls` lists the conversations of a store.',
    );
  }
  if (matches.length === 1) return match;
  const more = matches.length > maxNamed ? ', …' : '';
  const named = matches.slice(0, maxNamed).map((id) => id.slice(0, Math.max(12, typed.length + 4)));
  throw new CliError(
    exitCodes.usage,
    `"${typed}" matches ${matches.length} conversations: ${named.join(', ')}${more}.`,
    'Type more of the id.',
  );
}

async function summaryOf(store: EventStore, id: string): Promise<Summary | undefined> {
  return store.summary(id).catch((error: unknown) => {
    if (error instanceof StorageError && (error.code === 'missing' || error.code === 'invalid')) return undefined;
    throw error;
  });
}

async function idsWith(store: EventStore, prefixes: readonly string[]): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let after: string | undefined; ;) {
    const { items, next } = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const { id } of items) if (prefixes.some((prefix) => id.startsWith(prefix))) ids.add(id);
    if (next === undefined) return [...ids];
    after = next;
  }
}

/** Returns the first characters of a UUID with hyphens, which is stored without them, as they are stored. */
function prefixOf(typed: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]*$/i.test(typed) ? typed.replaceAll('-', '').toLowerCase() : typed;
}
