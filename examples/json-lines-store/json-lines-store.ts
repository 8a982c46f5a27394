import fs from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type EventLog, type EventStore, StorageError } from '@varve/storage';
import * as kit from '@varve/storage/kit';
import { ConversationFile } from './conversation-file.ts';

/** Options of `jsonLinesStore`. */
export interface JsonLinesOptions {
  /** The directory of the files; created if missing. */
  readonly path: string;
  /** Milliseconds until a lease expires if it is not renewed; default 30 seconds. */
  readonly leaseMs?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Opens a store with one file per conversation, which several processes of one machine may use at the same time. An
 * append is durable when it resolves. Logs have seals but no `ProofWriter`, so `repair` and `scrub` do not support it.
 */
export function jsonLinesStore({ path, leaseMs = 30_000, now = Date.now }: JsonLinesOptions): EventStore {
  const holder = kit.thisProcess();
  const files = new Map<string, ConversationFile>();
  const opened: ConversationFile[] = [];
  const logs = new Set<EventLog>();
  const closing = new AbortController();
  const wake = kit.wakeups((onChange) => {
    const timer = setInterval(onChange, 100);
    return () => clearInterval(timer);
  });
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  const pathOf = (id: string): string => join(path, `${id}.jsonl`);
  const expiry = (): number => now() + leaseMs;

  /** Returns the file of a conversation as it is now, which may be empty. */
  function open(id: string): ConversationFile {
    const known = files.get(id);
    known?.refresh();
    if (known?.exists) return known;
    const file = new ConversationFile(id, pathOf(id));
    files.set(id, file);
    opened.push(file);
    return file;
  }

  function find(id: string): ConversationFile {
    checkCall(id);
    const file = fs.existsSync(pathOf(id)) ? open(id) : undefined;
    if (file?.exists) return file;
    throw new StorageError('missing', `There is no conversation ${id}.`);
  }

  function checkCall(id: string): void {
    if (closing.signal.aborted) throw new StorageError('closed', 'The store is closed.');
    kit.checkId(id);
  }

  function listing() {
    checkCall('list');
    const names = fs.readdirSync(path).flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []);
    const summaries = names.map(open).flatMap((file) => (file.exists ? [file.summary] : []));
    return kit.listingOf(summaries, (summary) => summary);
  }

  /** Takes the lease in a new epoch. If two processes try, the first line in the file wins. */
  function take(file: ConversationFile): ConversationFile {
    const { epoch, until, holder: other } = file.lease;
    const isFree = until <= now() || (other !== undefined && kit.isDead(other, holder));
    if (isFree && file.add({ epoch: epoch + 1, holder, until: expiry() })) return file;
    throw new StorageError('held', `Conversation ${file.id} is held by process ${file.lease.holder?.pid}.`);
  }

  function source(file: ConversationFile, closed: AbortSignal) {
    const check = (): void => {
      kit.checkLogOpen(file.id, closed);
      if (!file.exists) throw new StorageError('missing', `Conversation ${file.id} was removed.`);
      file.refresh();
    };
    return kit.loadedSource(file.log, { check, wake, closed });
  }

  function logOf(file: ConversationFile): EventLog {
    const { id, lease } = file;
    const { epoch } = lease;
    const ending = new AbortController();
    const fenced = (): StorageError => new StorageError('fenced', `Conversation ${id} was taken over from ${epoch}.`);
    const log = kit.leasedLog(ending, {
      source: source(file, ending.signal),
      atomicity: 'all',
      epoch,
      append(append) {
        file.refresh();
        if (file.lease.epoch !== epoch || !file.exists) throw fenced();
        const { seqs, events, statements } = kit.prepareAppend(file.log, append, now());
        const at = events.length > 0 || append.metaText !== undefined ? now() : undefined;
        if (at === undefined && statements.length === 0) return seqs;
        if (!file.add({ epoch, until: expiry(), at, events, statements, meta: append.metaText })) throw fenced();
        return seqs;
      },
      wake: () => wake.fire(id),
      renew: () => file.add({ epoch, until: expiry() }),
      renewMs: leaseMs / 3,
      release: () => file.exists && file.add({ epoch, until: 0 }),
      onClose: () => logs.delete(log),
    });
    logs.add(log);
    return log;
  }

  return {
    async create(id, meta, options) {
      checkCall(id);
      const owner = kit.checkOwnerName(options) || undefined;
      const text = kit.jsonText('meta', meta);
      const file = open(id);
      const first = { epoch: 1, holder, until: expiry(), at: now(), meta: text, owner };
      const isNew = file.lease.epoch === 0 && file.add(first);
      if (!isNew) throw new StorageError('exists', `There is a conversation ${id} already.`);
      return logOf(file);
    },
    open: async (id) => logOf(take(find(id))),
    read: async (id) => kit.readerOf(source(find(id), closing.signal)),
    list: async (query = {}) => listing().list(query),
    count: async (query = {}) => listing().count(query),
    summary: async (id) => find(id).summary,
    async facts(query) {
      return kit.scanFacts(this, query);
    },
    async remove(id, { expectedMeta } = {}) {
      const file = take(find(id));
      if (expectedMeta !== undefined && !isDeepStrictEqual(file.summary.meta, expectedMeta)) {
        file.add({ epoch: file.lease.epoch, until: 0 });
        throw new StorageError('conflict', `Conversation ${id} has another meta than expected.`);
      }
      fs.unlinkSync(pathOf(id));
      wake.fire(id);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const log of logs) await log[Symbol.asyncDispose]();
      for (const file of opened.splice(0)) file.close();
      wake.fireAll();
    },
  };
}
