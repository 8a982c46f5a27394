import type { EventStore, Summary } from '../contract/store.ts';

/** Every conversation of a store, once. Those made meanwhile may be missed. */
export async function allSummaries(store: Pick<EventStore, 'list'>): Promise<readonly Summary[]> {
  const found = new Map<string, Summary>();
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const summary of page.items) found.set(summary.id, summary);
    if (page.next === undefined) return [...found.values()];
    after = page.next;
  }
}
