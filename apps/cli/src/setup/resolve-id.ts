import { StorageError, type EventStore } from '@varve/storage';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** Number of recent conversations that are searched for a short id. */
const searched = 1000;

/**
 * Returns the full id for a full or short one: at least the first 4 characters of one of the last 1000 conversations.
 *
 * @throws {StorageError} `missing`; {@link CliError} `usage` if several conversations match.
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
  throw new CliError(exitCodes.usage, `${others.length + 1} conversations match ${typed}.`, 'Type more of the id.');
}
