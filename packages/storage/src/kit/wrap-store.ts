import type { LogReader } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type { EventStore } from '../contract/store.ts';

/** Members that replace those of a value; `undefined` removes an optional one. */
type Overrides<T> = { readonly [Name in keyof T]?: T[Name] | (object extends Pick<T, Name> ? undefined : never) };

/** Members of a store, and of its logs, in place of those of another store. Each keeps the contract of its member. */
export interface StoreOverrides extends Overrides<EventStore> {
  /** Returns members of a log that was created or opened, in place of those of the log of the inner store. */
  readonly log?: (log: EventLog) => Overrides<EventLog>;
  /** Returns members of a reader, in place of those of the reader of the inner store. Logs have those of `log` only. */
  readonly reader?: (reader: LogReader) => Overrides<LogReader>;
}

/**
 * Returns a store that differs from another one in some members. All others are those of the inner store, which do not
 * use the replaced ones: `facts` reads the inner logs, and disposing the store closes them.
 */
export function wrapStore(store: EventStore, { log, reader, ...members }: StoreOverrides): EventStore {
  const outer = withMembers(store, members);
  const logOf = (opened: EventLog): EventLog => (log ? withMembers(opened, log(opened)) : opened);
  return withMembers(outer, {
    create: async (...args) => logOf(await outer.create(...args)),
    open: async (...args) => logOf(await outer.open(...args)),
    async read(id) {
      const read = await outer.read(id);
      return reader ? withMembers(read, reader(read)) : read;
    },
  });
}

/**
 * Returns an object with all members of a value, also those of its class, except the replaced ones. Methods keep the
 * value as `this`, which may have private fields. They are not bound: `await using` of Node 24 rejects bound functions,
 * also those of a `Proxy`.
 */
function withMembers<T extends object>(value: T, members: Overrides<T>): T {
  const copy: object = {};
  for (let from: object | null = value; from && from !== Object.prototype; from = Reflect.getPrototypeOf(from)) {
    for (const name of Reflect.ownKeys(from)) {
      if (name === 'constructor' || Object.hasOwn(copy, name)) continue;
      const member: unknown = Reflect.get(value, name);
      const method = (...args: unknown[]): unknown => Reflect.apply(member as () => unknown, value, args);
      const kept =
        typeof member === 'function' ? { value: method, writable: true } : { get: () => Reflect.get(value, name) };
      Object.defineProperty(copy, name, { ...kept, enumerable: true, configurable: true });
    }
  }
  for (const name of Reflect.ownKeys(members)) {
    Reflect.deleteProperty(copy, name);
    if (Reflect.get(members, name) !== undefined) Object.assign(copy, { [name]: Reflect.get(members, name) });
  }
  return copy as T;
}
