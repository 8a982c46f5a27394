import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { rollingWindow } from '@varve/condensers';
import { defineEvent, text as block, type BaseEvent } from '@varve/events';
import { approvalFact, effectFact } from '@varve/events/facts';
import { ActionEvent } from '@varve/events/kinds';
import { isResult, callIdOf, checkMessages, type Usage } from '@varve/events/projections';
import { LlmError, type LanguageModel } from '@varve/llm';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type Agent } from '../src/agent/agent.ts';
import { alwaysConfirm, confirmRisky, neverConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { AgentError } from '../src/error.ts';
import type { Limits } from '../src/budget/limits.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';
import type { EndReason } from '../src/run/run-result.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';
import { dice, type Dice } from './dice.ts';
import { finishingReply, mostOfReply, simulatedPrice, simulatedReply } from './simulated-reply.ts';

/** Result of one simulated conversation. */
export interface Simulated {
  /** Text of every stored event. */
  readonly log: readonly string[];
  readonly reasons: readonly EndReason[];
  readonly crashes: number;
  /** Number of appends that failed without ending the process. */
  readonly failures: number;
}

/** Error of an append that does not end the process. */
class Failure extends Error {}

const reasons = new Set<EndReason>([
  'finished',
  'asked',
  'waiting',
  'paused',
  'interrupted',
  'max-iterations',
  'max-cost',
  'max-tokens',
  'max-calls',
  'max-time',
  'stuck',
  'error',
]);

/** Returns a store; called again for every new process. The caller closes none of them. */
export type NewDisk = () => EventStore | Promise<EventStore>;

/**
 * Plays a conversation with a simulated model, tools, user and crashing store, all determined by the seed: the same
 * seed produces the same log, byte for byte.
 *
 * @throws {Error} which names the seed, when a request is invalid, a write runs twice or without its approval, a run
 * ends without a reason or exceeds a limit, the state is not the fold of the log, a call is lost, a secret leaks, or a
 * request cannot be rebuilt from the log.
 */
export async function simulate(
  seed: number,
  newDisk: NewDisk = () => memoryStore({ now: () => 0 }),
): Promise<Simulated> {
  const world = new World(dice(seed), newDisk, await newDisk());
  await world.play().catch((error: unknown) => {
    throw new Error(`Seed ${seed} fails.`, { cause: error });
  });
  const { reasons: ends, crashes, failures } = world;
  return { log: await world.log(), reasons: ends, crashes, failures };
}

const id = '5'.repeat(32);
const secret = 'swordfish';

/** Custom event of the application. */
const Note = defineEvent('Note', {
  source: 'environment',
  fields: () => ({ words: z.string() }),
  toMessage: ({ words }) => ({ role: 'user', content: [block(words)], thinking_blocks: [] }),
});

/** Timer that never fires: the clock is checked between steps. */
const never = (): AbortSignal => new AbortController().signal;

class World {
  readonly reasons: EndReason[] = [];
  crashes = 0;
  failures = 0;
  readonly #dice: Dice;
  readonly #runs = new Map<string, number>();
  #agent: Agent;
  readonly #mayAsk: boolean;
  readonly #secrets: readonly string[];
  readonly #newDisk: NewDisk;
  #disk: EventStore;
  #isEnding = false;
  /** True if an append failed that was not checked yet. */
  #hasFailed = false;
  #count = 0;

  constructor(random: Dice, newDisk: NewDisk, disk: EventStore) {
    this.#dice = random;
    this.#newDisk = newDisk;
    this.#disk = disk;
    this.#secrets = random.chance(0.5) ? [secret] : [];
    this.#mayAsk = random.chance(0.3);
    this.#agent = defineAgent({
      model: this.#model(),
      tools: () => [this.#record(), this.#peek(), finish()],
      condenser: rollingWindow({ maxEvents: random.below(30) + 8 }),
      confirmation: this.#mayAsk ? alwaysConfirm() : random.chance(0.5) ? neverConfirm() : confirmRisky(),
      concurrency: random.below(3) + 1,
      textReply: random.of(['finish', 'wait', 'continue']),
      budget: { maxIterations: random.below(10) + 3, maxCalls: 200, ...this.#spending(0.1, 20) },
    });
  }

  async play(): Promise<void> {
    let conversation = await this.#start();
    for (let round = this.#dice.below(4) + 2; round > 0; round--) {
      try {
        if (this.#hasFailed) await this.#checkFailed(conversation);
        await this.#act(conversation);
        await this.#run(conversation);
      } catch (error) {
        if (error instanceof Crash) conversation = await this.#reborn(conversation);
        else if (!(error instanceof Failure)) throw error;
      }
    }
    // The last run must not end at a limit.
    this.#agent = defineAgent({ ...this.#agent, budget: { maxIterations: 20 } });
    await this.#end(await this.#reborn(conversation, false));
  }

  async log(): Promise<readonly string[]> {
    return Array.fromAsync((await this.#disk.read(id)).range(0), ({ text }) => text);
  }

  async #start(): Promise<Conversation> {
    const crash = { at: this.#dice.below(60) + 1, stored: this.#dice.chance(0.5) };
    const store = this.#failing(this.#dice.chance(0.8) ? crashingStore(this.#disk, crash) : this.#disk);
    const options = { ...this.#options(), workspace: process.cwd(), id };
    try {
      return await Conversation.create({ ...options, store });
    } catch (error) {
      if (!(error instanceof Crash || error instanceof Failure)) throw error;
      // A crash may leave the conversation without events, or with its settings.
      this.#disk = await this.#newDisk();
      this.#hasFailed = false;
      return Conversation.create({ ...options, store: this.#disk });
    }
  }

  /** Random limits of cost and tokens, worth at most `replies` replies. */
  #spending(chance: number, replies: number): { readonly maxCostUsd?: number; readonly maxTokens?: number } {
    return {
      ...(this.#dice.chance(chance) && { maxCostUsd: (this.#dice.below(replies) + 1) * mostOfReply.costUsd }),
      ...(this.#dice.chance(chance) && { maxTokens: (this.#dice.below(replies) + 1) * mostOfReply.tokens }),
    };
  }

  #options() {
    return {
      secrets: this.#secrets,
      agent: this.#agent,
      now: () => this.#tick(),
      newId: () => this.#uuid(),
      kinds: [Note],
      timeout: never,
    };
  }

  /** Opens the conversation as a new process does: with all stored events, and no lease. */
  async #reborn(conversation: Conversation, isCrash = true): Promise<Conversation> {
    await conversation.interrupt();
    await this.#turns();
    if (isCrash) this.crashes += 1;
    const disk = await this.#newDisk();
    const log = await disk.create(id, (await this.#disk.summary(id)).meta);
    for await (const stored of (await this.#disk.read(id)).range(0)) await log.append([stored]);
    await log[Symbol.asyncDispose]();
    this.#disk = disk;
    this.#hasFailed = false;
    const crash = { at: this.#dice.below(30) + 1, stored: this.#dice.chance(0.5) };
    const store = isCrash && this.#dice.chance(0.3) ? this.#failing(crashingStore(disk, crash)) : disk;
    return Conversation.open({ ...this.#options(), store, id });
  }

  /** Fails single appends, before or after they are stored, like a disk that is full for some time. */
  #failing(store: EventStore): EventStore {
    const rate = this.#dice.of([0, 0.05, 0.2]);
    return aroundAppends(store, async (append) => {
      await this.#turns();
      const fails = !this.#hasFailed && this.#dice.chance(rate);
      const isStored = this.#dice.chance(0.5);
      if (fails) {
        this.#hasFailed = true;
        this.failures += 1;
      }
      if (fails && !isStored) throw new Failure('Nothing was stored.');
      const seqs = await append();
      if (fails) throw new Failure('It was stored, but not acknowledged.');
      return seqs;
    });
  }

  /** Checks that a conversation is usable after a failure, and that its state is the fold of its log. */
  async #checkFailed(conversation: Conversation): Promise<void> {
    await conversation.send(`Still there ${this.#tick()}?`).catch((error: unknown) => {
      assert(!(error instanceof Failure), 'an earlier failure is reported again');
      throw error;
    });
    assert.deepEqual(await conversation.stateAt(conversation.state.head), conversation.state);
    assert.equal(await (await this.#disk.read(id)).head(), conversation.state.head);
    this.#hasFailed = false;
  }

  async #act(conversation: Conversation): Promise<void> {
    const { pending, lastUserMessageId, status } = conversation.state;
    if (lastUserMessageId === undefined) await conversation.send('Begin.');
    const waits = status === 'waiting_for_confirmation' && pending.length > 0;
    const some = pending.slice(0, this.#dice.below(pending.length) + 1).map(({ event }) => event.id);
    const what = this.#dice.below(4);
    if (waits && what < 2) await conversation.approve({ actionIds: some });
    else if (waits && what === 2) await conversation.reject('No.');
    else if (this.#dice.chance(0.6)) await conversation.send(`Continue ${this.#tick()}${this.#leak()}.`);
  }

  async #run(conversation: Conversation): Promise<void> {
    const maxMs = this.#dice.chance(0.2) ? { maxMs: this.#dice.below(40) + 1 } : {};
    const limits = { ...maxMs, ...this.#spending(0.1, 3) };
    const before = conversation.state.stats.total;
    const running = this.#dice.chance(0.2) ? conversation.step(limits) : conversation.run(limits);
    const interfering = this.#interfere(conversation);
    const [ended, interfered] = await Promise.allSettled([running, interfering]);
    if (ended.status === 'fulfilled') {
      assert(reasons.has(ended.value.reason), `a run ended as ${ended.value.reason}`);
      this.reasons.push(ended.value.reason);
      checkSpent(limits, before, ended.value.usage);
      checkSpent(this.#agent.budget, nothing, ended.value.usage);
    }
    for (const result of [ended, interfered]) if (result.status === 'rejected') throw result.reason;
  }

  /** Simulates a person during a run. */
  async #interfere(conversation: Conversation): Promise<void> {
    for (let times = this.#dice.below(3); times > 0; times--) {
      await this.#turns(20);
      const what = this.#dice.below(8);
      if (what === 6)
        await conversation.record((stamp) => Note.create({ words: `n${this.#tick()}${this.#leak()}` }, stamp));
      else if (what === 7) await conversation.generateTitle();
      else if (what === 0) conversation.pause();
      else if (what === 1) await conversation.interrupt();
      else if (what === 2) await conversation.send(`By the way ${this.#tick()}.`);
      else if (what === 3) await conversation.reject('Not that.').catch(unlessNothingPends);
      else await this.#turns(20);
    }
  }

  /** Finishes the task and checks every invariant. */
  async #end(conversation: Conversation): Promise<void> {
    this.#isEnding = true;
    await conversation.send('Come to an end.');
    // A crash may leave a condensation request that can no longer be fulfilled: that ends one run.
    const first = await conversation.run({ maxIterations: 20 });
    const end = first.reason === 'error' ? await conversation.run({ maxIterations: 20 }) : first;
    assert.equal(end.reason, 'finished');
    assert.deepEqual(conversation.state.pending, []);
    assert.deepEqual(await conversation.stateAt(conversation.state.head), conversation.state);
    for (const [text, count] of this.#runs) assert.equal(count, 1, `${text} ran ${count} times`);
    const events = await Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);
    if (this.#secrets.length > 0) assert(!(await this.log()).join('').includes(secret), 'the log contains the secret');
    this.#checkCalls(events);
    if (this.#dice.chance(0.2)) await this.#checkFork(conversation, events);
    if (this.#dice.chance(0.3)) await this.#checkRequests();
    await conversation[Symbol.asyncDispose]();
  }

  async #checkRequests(): Promise<void> {
    const log = await this.#disk.read(id);
    for await (const { messages, tools, parameters, seq } of verifyRequests(log, { kinds: [Note] })) {
      assert.deepEqual([messages, tools, parameters], ['same', 'same', 'same'], `the request before ${seq}`);
    }
  }

  /** Checks that a fork at any event has a legal request and no open calls, and runs no call again. */
  async #checkFork(conversation: Conversation, events: readonly BaseEvent[]): Promise<void> {
    const places = events.filter(({ kind }) => kind !== 'ConversationStateUpdateEvent').map((event) => event.id);
    const at = places[this.#dice.below(places.length)] ?? '';
    await using fork = await conversation.fork({ at, id: '6'.repeat(32) });
    assert.deepEqual([fork.state.pending, checkMessages(fork.request().messages)], [[], []]);
    const before = new Map(this.#runs);
    await fork.send('Come to an end.');
    await fork.run({ maxIterations: 20 });
    assert.deepEqual(this.#runs, before);
  }

  #checkCalls(events: readonly BaseEvent[]): void {
    const answered = events.filter((event) => isResult(event)).map((result) => callIdOf(result));
    for (const event of events) {
      if (!ActionEvent.is(event)) continue;
      const results = answered.filter((answeredId) => answeredId === event.id || answeredId === event.tool_call_id);
      assert.equal(results.length, 1, `call ${event.id} has ${results.length} results`);
    }
    const approved = new Set(events.flatMap((event) => approvalFact.read(event)?.action_id ?? []));
    const begun = events.flatMap((event) => effectFact.read(event)?.action_id ?? []);
    if (this.#mayAsk) for (const action of begun) assert(approved.has(action), `${action} ran without approval`);
  }

  #model(): LanguageModel {
    return {
      name: 'simulated',
      spec: { kind: 'simulated' },
      capabilities: { functionCalling: true, vision: true, streaming: false },
      generate: async ({ messages, tools }, { signal } = {}) => {
        assert.deepEqual(checkMessages(messages), []);
        if (this.#secrets.length > 0) assert(!JSON.stringify(messages).includes(secret), 'the model reads the secret');
        await this.#turns();
        if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.');
        const replies = { dice: this.#dice, tick: () => this.#tick(), leak: () => this.#leak() };
        const reply = this.#isEnding ? finishingReply(replies) : simulatedReply(replies);
        // Titles cost nothing, so that the usage of a run is the usage of its steps.
        return tools.length > 0 ? { ...reply, ...simulatedPrice(this.#dice) } : reply;
      },
    };
  }

  #record(): Tool {
    const recordRun = (text: string): void => void this.#runs.set(text, (this.#runs.get(text) ?? 0) + 1);
    return this.#tool('record', 'write', recordRun);
  }

  #peek(): Tool {
    return this.#tool('peek', 'read', () => {});
  }

  #tool(name: string, effect: 'read' | 'write', recordRun: (text: string) => void): Tool {
    return defineTool({
      name,
      description: 'Does it.',
      input: z.object({ text: z.string().describe('What.') }),
      effect,
      resources: ({ text }) => [`thing:${text.length % 2}`],
      execute: async ({ text }, { signal }) => {
        await this.#turns();
        if (signal.aborted) throw new Error('It was stopped.');
        recordRun(text);
        await this.#turns();
        if (this.#countOf(text) % 7 === 0) throw new Error('It broke.');
        return `Did ${text}${this.#leak()}.`;
      },
    });
  }

  #countOf(text: string): number {
    return Number.parseInt(text.slice(1), 10) || 1;
  }

  /** Yields to other tasks a number of times, and sometimes to the event loop. */
  async #turns(most = 12): Promise<void> {
    for (let times = this.#dice.below(most); times > 0; times--) await Promise.resolve();
    if (this.#dice.chance(0.2)) await setImmediate();
  }

  /** Returns the secret now and then. */
  #leak(): string {
    return this.#dice.chance(0.1) ? ` ${secret}` : '';
  }

  #tick(): number {
    return ++this.#count;
  }

  #uuid(): string {
    return `00000000-0000-4000-8000-${String(this.#tick()).padStart(12, '0')}`;
  }
}

type Spent = Pick<Usage, 'cost_usd' | 'input_tokens' | 'output_tokens'>;

const nothing: Spent = { cost_usd: 0, input_tokens: 0, output_tokens: 0 };

/** Checks that no step started after a limit was reached, so that at most one reply exceeds it. */
function checkSpent(limits: Limits, before: Spent, now: Spent): void {
  const { maxCostUsd = Infinity, maxTokens = Infinity } = limits;
  const tokens = now.input_tokens + now.output_tokens - before.input_tokens - before.output_tokens;
  assert(
    (now.cost_usd ?? 0) - (before.cost_usd ?? 0) < maxCostUsd + mostOfReply.costUsd,
    `it cost more than ${maxCostUsd}`,
  );
  assert(tokens < maxTokens + mostOfReply.tokens, `it used more than ${maxTokens} tokens`);
}

function unlessNothingPends(error: unknown): void {
  if (!(error instanceof AgentError && error.code === 'nothing-pending')) throw error;
}
