import { setMaxListeners } from 'node:events';
import { StorageError, type Replicas } from '@varve/storage';
import { HostError } from '../error.ts';
import { continuedFact } from './continued-fact.ts';
import { isOutage } from '../live/execute-run.ts';
import type { HostedConversation } from '../live/hosted-conversation.ts';

/** Conversation that a host has open, with what belongs to it. Disposing closes all of it. */
export interface OpenConversation extends AsyncDisposable {
  readonly hosted: HostedConversation;
  /** False for one that another program created: its runs are not continued after a crash. */
  readonly isResumable: boolean;
}

/** Options of {@link OpenConversations}. */
export interface OpenConversationsOptions<Live extends OpenConversation> {
  /** Opens a stored conversation and takes its lease. */
  readonly load: (id: string) => Promise<Live>;
  /** Called before a stored conversation is opened, and after a new one was created. */
  readonly onOpen: (id: string, from: 'start' | 'now') => Promise<void>;
  /** Called when a conversation is closed, or could not be opened. It must not reject. */
  readonly onClose: (id: string) => Promise<void>;
  /**
   * Lets another process continue a run that `handOver` or `closeAll` ends, or that waits for its turn while nothing
   * uses its conversation. Default: the next `recover` continues it, and runs wait here.
   */
  readonly abandon?: Replicas['abandon'] | undefined;
  /** Milliseconds without use after which a conversation is closed. */
  readonly idleMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Calls a function repeatedly, until the result is disposed. */
  readonly every: (ms: number, tick: () => void) => Disposable;
  /** Receives failures to close a conversation that no caller waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** Reason why a conversation is open. */
type Origin = 'opened' | 'created';

interface Entry<Live> {
  readonly live: Promise<Live>;
  readonly origin: Origin;
  users: number;
  usedAt: number;
}

/** Checks per idle time. */
const checksPerIdleTime = 4;

/**
 * The open conversations of a server. Each is opened once, by its first user, and closed when it was idle for a while:
 * its lease is then free for other processes.
 */
export class OpenConversations<Live extends OpenConversation> {
  readonly #options: OpenConversationsOptions<Live>;
  readonly #entries = new Map<string, Entry<Live>>();
  /** Conversations that are being closed: they can be opened again afterwards. */
  readonly #closing = new Map<string, Promise<void>>();
  #failedHandOvers = 0;
  #timer: Disposable | undefined;
  #isClosed = false;
  #isEnding = false;

  constructor(options: OpenConversationsOptions<Live>) {
    this.#options = options;
  }

  /** Number of conversations that could not be left for another process to continue. */
  get failedHandOvers(): number {
    return this.#failedHandOvers;
  }

  /** True once the conversations are handed over. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Lets `work` use a conversation, which stays open until it ends. @throws what opening it and `work` throw. */
  async use<Result>(id: string, work: (live: Live) => Promise<Result>): Promise<Result> {
    for (;;) {
      const { entry } = await this.#entry(id, 'opened', () => this.#load(id));
      try {
        return await this.#used(id, entry, work);
      } catch (error) {
        // The failure of a creation is that of another request: this one looks for the conversation itself.
        if (entry.origin === 'opened' || (await isOpened(entry))) throw error;
      }
    }
  }

  /** Adds a conversation that `make` creates. @throws {StorageError} `exists` if it is open; what `make` throws. */
  async add(id: string, make: () => Promise<Live>): Promise<void> {
    for (;;) {
      const { entry, isNew } = await this.#entry(id, 'created', () => this.#make(id, make));
      if (isNew) return this.#used(id, entry, async () => undefined);
      // Another request opens it, or creates it.
      if (await isOpened(entry)) throw new StorageError('exists', `Conversation ${id} exists.`);
    }
  }

  /** Returns an open conversation. */
  async find(id: string): Promise<Live | undefined> {
    return this.#entries.get(id)?.live.catch(() => undefined);
  }

  /**
   * Closes a conversation if it is open. A run is paused, or ends as `handOver` ends it if that was called before; it
   * is interrupted when the signal aborts.
   */
  async close(id: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) this.#startClosing(id, entry, signal);
    await this.#closing.get(id);
  }

  /** Closes a conversation if it is open, so that its run is continued by another process, as `handOver` closes all. */
  async giveUp(id: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    const leave = async (live: Live): Promise<void> => this.#leave(id, live, signal);
    if (entry) this.#holdBack(id, this.#closed(id, entry, leave));
    await this.#closing.get(id);
  }

  /** Closes a conversation as `close` does, and removes it: nothing opens or creates it before that has ended. */
  async remove(id: string, signal: AbortSignal, remove: () => Promise<void>): Promise<void> {
    while (this.#closing.has(id)) await this.#closing.get(id);
    const entry = this.#entries.get(id);
    const removed = (entry ? this.#closed(id, entry, (live) => this.#end(id, live, signal)) : Promise.resolve()).then(
      remove,
    );
    this.#holdBack(id, removed);
    await removed;
  }

  /** Closes conversations whose run ended although their log does not contain that, and returns their ids. */
  async closeStalled(): Promise<readonly string[]> {
    const stalled: string[] = [];
    for (const [id, entry] of this.#entries) {
      const live = await entry.live.catch(() => undefined);
      if (!live?.isResumable || entry.users > 0 || this.#entries.get(id) !== entry) continue;
      if (!live.hosted.runs.isStalled) continue;
      void this.giveUp(id, AbortSignal.abort());
      stalled.push(id);
    }
    return stalled;
  }

  /** Continues runs that ended although their logs do not contain that, if they can be changed again. */
  async continueStalled(): Promise<void> {
    for (const [id, entry] of this.#entries) {
      const live = await entry.live.catch(() => undefined);
      if (!live?.isResumable || !live.hosted.runs.isStalled || this.#entries.get(id) !== entry) continue;
      await this.#used(id, entry, ({ hosted }) => continueRun(hosted)).catch(this.#options.onFailure);
    }
  }

  /** Returns true for a conversation that is open, or is being opened. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Closes all conversations, and opens no more. */
  async closeAll(signal: AbortSignal): Promise<void> {
    this.#isClosed = true;
    await this.handOver(signal);
  }

  /** Closes all conversations so that their runs are continued later, or by others; they can be opened again. */
  async handOver(signal: AbortSignal): Promise<void> {
    this.#isEnding = true;
    setMaxListeners(0, signal);
    await this.release(signal);
  }

  /** Closes all conversations; they can be opened again. */
  async release(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.close(id, signal)));
    // Also what was being closed or removed before.
    await Promise.all(this.#closing.values());
  }

  async #load(id: string): Promise<Live> {
    const { load, onOpen, onClose } = this.#options;
    await onOpen(id, 'now');
    try {
      return await load(id);
    } catch (error) {
      await onClose(id);
      throw error;
    }
  }

  async #make(id: string, make: () => Promise<Live>): Promise<Live> {
    const { onOpen, onClose } = this.#options;
    const live = await make().catch(async (error: unknown) => {
      await onClose(id);
      throw error;
    });
    await onOpen(id, 'start');
    return live;
  }

  async #entry(id: string, origin: Origin, make: () => Promise<Live>): Promise<{ entry: Entry<Live>; isNew: boolean }> {
    while (this.#closing.has(id)) await this.#closing.get(id);
    if (this.#isClosed)
      throw new HostError('stopping', `Conversation ${id} cannot be opened: the host is being closed.`);
    const known = this.#entries.get(id);
    if (known) return { entry: known, isNew: false };
    const entry: Entry<Live> = { live: make(), origin, users: 0, usedAt: this.#options.now() };
    this.#entries.set(id, entry);
    entry.live.catch(() => this.#forget(id, entry));
    this.#timer ??= this.#options.every(this.#options.idleMs / checksPerIdleTime, () => this.#closeIdle());
    return { entry, isNew: true };
  }

  async #used<Result>(id: string, entry: Entry<Live>, work: (live: Live) => Promise<Result>): Promise<Result> {
    entry.users += 1;
    try {
      const live = await entry.live;
      return await work(live).catch((error: unknown) => {
        live.hosted.note(error);
        if (live.hosted.isLost && this.#entries.get(id) === entry) this.#startClosing(id, entry, AbortSignal.abort());
        throw error;
      });
    } finally {
      entry.users -= 1;
      entry.usedAt = this.#options.now();
      if (this.#options.abandon) void this.#giveUpWaiting(id, entry);
    }
  }

  /** Closes a conversation whose run waits: the process that first has room for it continues it. */
  async #giveUpWaiting(id: string, entry: Entry<Live>): Promise<void> {
    const live = await entry.live.catch(() => undefined);
    const isUnused = entry.users === 0 && this.#entries.get(id) === entry;
    if (isUnused && live?.isResumable && live.hosted.runs.isWaiting) await this.giveUp(id, AbortSignal.abort());
  }

  #closeIdle(): void {
    const { now, idleMs } = this.#options;
    for (const [id, entry] of this.#entries) void this.#closeIfIdle(id, entry, now() - idleMs);
  }

  async #closeIfIdle(id: string, entry: Entry<Live>, before: number): Promise<void> {
    const live = await entry.live.catch(() => undefined);
    if (!live || entry.users > 0 || this.#entries.get(id) !== entry) return;
    if (live.hosted.runs.isActive) entry.usedAt = this.#options.now();
    else if (entry.usedAt <= before || live.hosted.isLost) this.#startClosing(id, entry, AbortSignal.abort());
  }

  #startClosing(id: string, entry: Entry<Live>, signal: AbortSignal): void {
    this.#holdBack(
      id,
      this.#closed(id, entry, (live) => this.#end(id, live, signal)),
    );
  }

  async #closed(id: string, entry: Entry<Live>, end: (live: Live) => Promise<void>): Promise<void> {
    this.#forget(id, entry);
    // One that could not be opened is reported to the caller that opened it.
    const live = await entry.live.catch(() => undefined);
    if (live) await end(live).catch(this.#options.onFailure);
    await this.#options.onClose(id);
  }

  async #end(id: string, live: Live, signal: AbortSignal): Promise<void> {
    await (this.#isEnding ? this.#leave(id, live, signal) : close(live, signal));
  }

  async #leave(id: string, live: Live, signal: AbortSignal): Promise<void> {
    try {
      let isContinued = false;
      try {
        isContinued = await live.hosted.runs.handOver(signal);
      } finally {
        await live[Symbol.asyncDispose]();
      }
      const { hasRun } = live.hosted.runs;
      if (isContinued && live.isResumable) await this.#options.abandon?.(id, { hasRun });
    } catch (error) {
      this.#failedHandOvers += 1;
      throw error;
    }
  }

  /** Lets nothing open a conversation before `closed` settles. */
  #holdBack(id: string, closed: Promise<void>): void {
    const settled = closed.catch(() => undefined).finally(() => this.#closing.delete(id));
    this.#closing.set(id, settled);
  }

  #forget(id: string, entry: Entry<Live>): void {
    if (this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    if (this.#entries.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}

/** Pauses, waits for the end of the run until the signal aborts, and closes the conversation. */
async function close(live: OpenConversation, signal: AbortSignal): Promise<void> {
  const { runs } = live.hosted;
  if (runs.isActive) {
    await runs.pause();
    await runs.idle(signal);
  }
  await live[Symbol.asyncDispose]();
}

/** Stores that a run is continued, before the model is asked for what a full disk could not store, and continues it. */
async function continueRun({ conversation, runs }: HostedConversation): Promise<void> {
  try {
    await conversation.record((stamp) => continuedFact.create({}, stamp));
  } catch (error) {
    if (isOutage(error)) return;
    throw error;
  }
  await runs.resume();
}

async function isOpened({ live }: Entry<OpenConversation>): Promise<boolean> {
  return live.then(
    () => true,
    () => false,
  );
}
