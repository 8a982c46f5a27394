import { createHash, randomUUID } from 'node:crypto';
import { AgentError } from '@varve/agent';
import { StorageError, type EventStore } from '@varve/storage';
import { HostError } from '../error.ts';
import type { HostedConversation } from '../live/hosted-conversation.ts';
import { isOwned } from './recover.ts';
import { wakeFact, wakesOf, wakingIds, wokenFact, type Wake } from './wake-facts.ts';
import { lastTime, wakeTimes, type WakeTime } from './wake-times.ts';

/** Options of {@link Wakes}. */
export interface WakesOptions {
  readonly store: EventStore;
  /** Lets work use a conversation after the work before it has ended. */
  readonly change: <Result>(id: string, work: (hosted: HostedConversation) => Promise<Result>) => Promise<Result>;
  /** Calls a function repeatedly, until the result is disposed. */
  readonly every: (ms: number, tick: () => void) => Disposable;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly onFailure: (error: unknown, conversationId: string) => void;
}

const lookMs = 2_000;

/**
 * Messages that conversations receive at times. The log of each conversation has its wakes; a process sends one under
 * the lease of the conversation, with an id that follows from that of the wake, so that it is stored once.
 */
export class Wakes implements Disposable {
  readonly #options: WakesOptions;
  readonly #times: ReturnType<typeof wakeTimes>;
  #timer: Disposable | undefined;
  /** Conversations whose failures were reported. */
  readonly #failed = new Set<string>();
  #isLooking = false;
  #isEnded = false;

  constructor(options: WakesOptions) {
    this.#options = options;
    this.#times = wakeTimes(options.store);
  }

  /** Finds the wakes of logs that have no time: of earlier processes, and of copies. Sends what is due from now on. */
  async start(): Promise<void> {
    if (this.#timer) return;
    const known = await this.#times.due(lastTime);
    const names = new Set(known.map(({ conversation, id }) => `${conversation}/${id}`));
    for (const conversation of await wakingIds(this.#options.store, names)) await this.#addTimes(conversation);
    if (!this.#isEnded) this.#timer ??= this.#options.every(lookMs, () => void this.#look());
  }

  /** Stores a wake. One whose id is stored already is not stored again. */
  async add(
    conversation: string,
    { id = randomUUID(), at, message }: Omit<Wake, 'id'> & Partial<Wake>,
  ): Promise<string> {
    if (!/^[\w-]{1,64}$/.test(id) || !Number.isSafeInteger(at) || at < 0 || at > lastTime || message.trim() === '') {
      throw new AgentError(
        'invalid',
        `A wake has an id of letters, a time in milliseconds and a message: ${id}, ${at}.`,
      );
    }
    await this.#options.change(conversation, async (hosted) => {
      await this.#times.add({ conversation, id, at });
      const value = { wake_id: id, wake_at: at, message };
      if (!(await this.#isKnown(conversation, id)))
        await hosted.conversation.record((stamp) => wakeFact.create(value, stamp));
    });
    return id;
  }

  /** Returns the wakes of a conversation that are to come. */
  list(conversation: string): Promise<readonly Wake[]> {
    return wakesOf(this.#options.store, conversation);
  }

  /** Cancels a wake; returns false for one that is not to come. */
  async cancel(conversation: string, id: string): Promise<boolean> {
    return this.#options.change(conversation, (hosted) =>
      this.#end({ conversation, id }, hosted, async () => 'cancelled'),
    );
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#timer?.[Symbol.dispose]();
  }

  /** Adds the times of the wakes of a conversation. */
  async #addTimes(conversation: string): Promise<void> {
    try {
      for (const { id, at } of await this.list(conversation)) await this.#times.add({ conversation, id, at });
    } catch (error) {
      if (!isMissing(error)) this.#options.onFailure(error, conversation);
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const time of await this.#times.due(this.#options.now())) if (!this.#isEnded) await this.#wake(time);
    } catch (error) {
      this.#options.onFailure(error, '');
    } finally {
      this.#isLooking = false;
    }
  }

  async #wake(time: WakeTime): Promise<void> {
    const { change, onFailure } = this.#options;
    try {
      await change(time.conversation, async (hosted) => {
        const isEnded = await this.#end(time, hosted, async ({ id, message }) => sent(id, message, hosted));
        if (!isEnded) await this.#times.remove(time);
      });
    } catch (error) {
      const isRemoved = isMissing(error);
      if (isRemoved) await this.#times.remove(time);
      if (isRemoved || isOwned(error) || isTemporary(error) || this.#failed.has(time.conversation)) return;
      this.#failed.add(time.conversation);
      onFailure(error, time.conversation);
    }
  }

  /** Ends a wake that is to come, at any time by default, as `end` decides, and stores that; false for others. */
  async #end(
    { conversation, id, at }: Omit<WakeTime, 'at'> & Partial<WakeTime>,
    hosted: HostedConversation,
    end: (wake: Wake) => Promise<'sent' | 'cancelled' | 'blocked'>,
  ): Promise<boolean> {
    const wake = (await this.list(conversation)).find((each) => each.id === id);
    if (!wake || wake.at !== (at ?? wake.at)) return false;
    const value = { wake_id: id, outcome: await end(wake) };
    await hosted.conversation.record((stamp) => wokenFact.create(value, stamp));
    await this.#times.remove({ conversation, id, at: wake.at });
    return true;
  }

  /** Returns true for a wake that the log has, whatever became of it. */
  async #isKnown(conversation: string, id: string): Promise<boolean> {
    if ((await this.list(conversation)).some((wake) => wake.id === id)) return true;
    const log = await this.#options.store.read(conversation);
    return (await log.seqOf(messageIdOf(id))) !== undefined;
  }
}

/** The conversation was removed. */
function isMissing(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'missing';
}

/** There is no room for a run, or the host is being closed: a later look tries again. */
function isTemporary(error: unknown): boolean {
  return error instanceof HostError && error.code !== 'unknown-agent';
}

/** Sends the message of a wake. */
async function sent(id: string, message: string, hosted: HostedConversation): Promise<'sent' | 'blocked'> {
  try {
    await hosted.receive(({ conversation }) => conversation.send(message, { id: messageIdOf(id), keepsCalls: true }));
    return 'sent';
  } catch (error) {
    if (error instanceof AgentError && error.code === 'blocked') return 'blocked';
    throw error;
  }
}

function messageIdOf(id: string): string {
  return createHash('sha256').update(`wake:${id}`).digest('hex').slice(0, 32);
}
