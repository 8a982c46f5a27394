import type { EventStore, Summary } from '@varve/storage';
import { metaFields } from './meta-fields.ts';

/** Which conversations of a store. */
export interface ConversationQuery {
  /** Maximum number. */
  readonly limit: number;
  /** Text in the title, the directory, the model or the id; letters of any case. */
  readonly search?: string | undefined;
  /** Directory of the agent, or one around it. */
  readonly workspace?: string | undefined;
}

/** Largest page of a store. */
const maxPage = 1000;

/** Returns the conversations of a query, the most recently updated first, and whether there are more. */
export async function findConversations(
  store: EventStore,
  { limit, search, workspace }: ConversationQuery,
): Promise<{ readonly items: readonly Summary[]; readonly hasMore: boolean }> {
  const summaries: Summary[] = [];
  const isWanted = (summary: Summary): boolean => contains(summary, search) && isIn(summary, workspace);
  for (let after: string | undefined; ;) {
    const { items, next } = await store.list({ limit: maxPage, ...(after !== undefined && { after }) });
    summaries.push(...items.filter(isWanted));
    if (summaries.length > limit) return { items: summaries.slice(0, limit), hasMore: true };
    if (next === undefined) return { items: summaries, hasMore: false };
    after = next;
  }
}

/** Returns a conversation and the ones that it started, children before their parents. */
export async function treeOf(store: EventStore, id: string): Promise<readonly Summary[]> {
  const { items } = await findConversations(store, { limit: Infinity });
  const membersOf = (parent: string, above: ReadonlySet<string>): readonly Summary[] =>
    items.flatMap((item) => {
      if (parentOf(item) !== parent || above.has(item.id)) return [];
      return [...membersOf(item.id, new Set([...above, item.id])), item];
    });
  return [...membersOf(id, new Set([id])), ...items.filter((item) => item.id === id)];
}

function parentOf({ meta }: Summary): string | undefined {
  const { parent } = {
    parent: undefined,
    ...(typeof meta === 'object' ? (meta as { readonly parent?: unknown }) : {}),
  };
  return typeof parent === 'string' ? parent : undefined;
}

function contains({ id, meta }: Summary, search: string | undefined): boolean {
  if (search === undefined) return true;
  const { title, workspace, model } = metaFields(meta);
  return [id, title, workspace, model].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

function isIn({ meta }: Summary, directory: string | undefined): boolean {
  if (directory === undefined) return true;
  const { workspace } = metaFields(meta);
  return workspace === directory || workspace.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}
