import type { EventStore } from '@varve/storage';

/** Returns a store with other functions in place of some of its own. */
export function storeWith(store: EventStore, others: Partial<EventStore>): EventStore {
  return new Proxy(store, {
    get(target, name: keyof EventStore) {
      const value: unknown = others[name] ?? target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
