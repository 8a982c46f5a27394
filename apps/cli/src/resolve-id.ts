import { StorageError, type EventStore } from '@varve/storage';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/** How many of the last conversations a beginning of an id is looked for in. */
const searched = 1000;

/**
 * The id that a person means: a whole one, or its first characters (at least 4) if only one of the last 1000 conversations
 * begins with them.
 *
 * @throws {StorageError} `missing`; {@link CliError} `usage` when several begin so.
 */
export async function resolveId(store: EventStore, typed: string): Promise<string> {
  const exact = await store.summary(typed).catch((error: unknown) => {
    if (error instanceof StorageError && (error.code === 'missing' || error.code === 'invalid')) return undefined;
    throw error;
  });
  if (exact) return exact.id;
  const { items } = typed.length < 4 ? { items: [] } : await store.list({ limit: searched });
  const [match, ...others] = items.filter(({ id }) => id.startsWith(typed));
  if (!match) throw new StorageError('missing', `There is no conversation ${typed}.`);
  if (others.length === 0) return match.id;
  throw new CliError(
    exitCodes.usage,
    `${others.length + 1} conversations begin with ${typed}.`,
    'Type more of the id.',
  );
}
