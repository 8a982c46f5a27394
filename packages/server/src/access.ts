import { type EventStore, StorageError, type Summary } from '@varve/storage';

/** Rights of a key: to read conversations, to change and run them, or everything, also of the server. */
export type Scope = 'read' | 'run' | 'admin';

/** What the sender of a request may do, and whose conversations it sees. */
export interface Access {
  /** Absent for the conversations without an owner; with `admin`, all conversations are seen. */
  readonly owner?: string | undefined;
  readonly scopes: readonly Scope[];
}

/** A key with these rights. */
export interface ScopedKey extends Access {
  readonly key: string;
}

/** Access of the person who runs the server. */
export const fullAccess: Access = { scopes: ['admin'] };

/** Returns true for a sender with a right. */
export function allows({ scopes }: Access, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Returns the owner whose conversations a sender sees, empty for those without one; undefined for all. */
export function seenOwner(access: Access): string | undefined {
  return allows(access, 'admin') ? undefined : (access.owner ?? '');
}

/** Returns a summary. @throws {StorageError} `missing`, also for a conversation that the sender does not see. */
export async function visibleSummary(store: Pick<EventStore, 'summary'>, id: string, access: Access): Promise<Summary> {
  const summary = await store.summary(id);
  const seen = seenOwner(access);
  if (seen === undefined || seen === (summary.owner ?? '')) return summary;
  throw new StorageError('missing', `There is no conversation ${id}.`);
}
