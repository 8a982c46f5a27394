import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { AgentError } from '../src/error.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const workspaces = [process.cwd(), '/'] as const;

/** What persons and processes do, in any order. Numbers select what was shown before, and calls of it. */
const action = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'run' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'show' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('approve-digest' as const),
      shown: fc.nat(3),
      digits: fc.constantFrom(16, 64),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('approve-calls' as const), shown: fc.nat(3), calls: fc.nat(7) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reject' as const), shown: fc.nat(3), calls: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'message' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const), workspace: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('navigate' as const), back: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), back: fc.nat(9) }) },
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** Calls that a person saw, and the digest that was printed with them. */
interface Shown {
  readonly digest: string;
  readonly calls: readonly { readonly id: string; readonly text: string }[];
}

/** A conversation, and which of its calls a person approved, by the text that the call records. */
class Approvals {
  readonly #runs;
  readonly #agent;
  readonly #store = memoryStore();
  readonly #shown: Shown[] = [];
  /** Workspace in which a call was approved last, by its text. */
  readonly #approved = new Map<string, string>();
  #workspace: string = workspaces[0];
  #conversation: Conversation | undefined;

  constructor(sizes: readonly number[]) {
    const { tool, runs } = countingTool();
    this.#runs = runs;
    const steps = sizes.map((size, turn): ScriptedTurn => {
      const texts = Array.from({ length: size }, (_, index) => `${turn}.${index}`);
      return { calls: texts.map((text) => ({ name: 'record', arguments: { text } })) };
    });
    const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
    const model = scriptedModel([...steps, ...Array.from({ length: 30 }, () => done)]);
    this.#agent = defineAgent({ model, tools: () => [tool(), finish()], confirmation: alwaysConfirm() });
  }

  async start(): Promise<void> {
    this.#conversation = await Conversation.create({
      agent: this.#agent,
      store: this.#store,
      workspace: this.#workspace,
    });
    await this.#open.send('Go.');
  }

  async perform(step: Action): Promise<void> {
    if (step.kind === 'run') return this.#run();
    if (step.kind === 'show') return void this.#shown.push({ digest: this.#open.digestOf(), calls: this.#pending });
    if (step.kind === 'message') return void (await this.#open.send('Something else.'));
    if (step.kind === 'reopen') return this.#reopen(workspaces[step.workspace] ?? '/');
    if (step.kind === 'navigate') return this.#navigate(step.back);
    if (step.kind === 'fork') return this.#fork(step.back);
    const proposal = this.#shown.at(-1 - step.shown);
    if (!proposal) return;
    if (step.kind === 'approve-digest')
      return this.#approve(proposal, { digest: proposal.digest.slice(0, step.digits) });
    const calls = proposal.calls.filter((_, index) => (step.calls >> index) & 1);
    const actionIds = calls.map(({ id }) => id);
    if (actionIds.length === 0) return;
    if (step.kind === 'approve-calls') return this.#approve({ ...proposal, calls }, { actionIds });
    await this.#refusable(() => this.#open.reject('No.', { actionIds }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversation?.[Symbol.asyncDispose]();
  }

  get #open(): Conversation {
    if (!this.#conversation) throw new TypeError('The conversation is not open.');
    return this.#conversation;
  }

  get #pending(): Shown['calls'] {
    return this.#open.state.pending.map(({ event }) => ({
      id: event.id,
      text: (JSON.parse(event.tool_call.arguments) as { readonly text: string }).text,
    }));
  }

  /** Only calls that were approved run, each once; and of those that wait, the approved ones do. */
  async #run(): Promise<void> {
    const before = new Set(this.#runs.keys());
    const approved = this.#pending
      .map(({ text }) => text)
      .filter((text) => this.#approved.get(text) === this.#workspace);
    await this.#refusable(() => this.#open.run());
    const ran = [...this.#runs.keys()].filter((text) => !before.has(text));
    assert.deepEqual(ran.toSorted(), approved.toSorted());
    assert.ok([...this.#runs.values()].every((count) => count === 1));
    // A run in another workspace asks about them again, for good.
    for (const [text, workspace] of this.#approved) if (workspace !== this.#workspace) this.#approved.delete(text);
  }

  /** An approval by digest is accepted only while exactly the calls wait that were shown. */
  async #approve({ calls }: Shown, options: { readonly digest?: string; readonly actionIds?: readonly string[] }) {
    const before = this.#pending;
    const isAccepted = await this.#refusable(() => this.#open.approve(options));
    if (!isAccepted) return;
    if (options.digest !== undefined) assert.deepEqual(before, calls);
    for (const { text } of calls) this.#approved.set(text, this.#workspace);
  }

  async #reopen(workspace: string): Promise<void> {
    const { id } = this.#open;
    await this.#open[Symbol.asyncDispose]();
    this.#workspace = workspace;
    this.#conversation = await Conversation.open({ agent: this.#agent, store: this.#store, id, workspace });
  }

  /** Goes back by a number of events, on whatever branch they are. */
  async #navigate(back: number): Promise<void> {
    const event = (await Array.fromAsync(this.#open.events())).at(-1 - back)?.event.id;
    await this.#refusable(() => this.#open.navigate(event));
  }

  /** A fork runs none of the calls that are open at its beginning, approved or not. */
  async #fork(back: number): Promise<void> {
    const before = new Map(this.#runs);
    const at = (await Array.fromAsync(this.#open.events())).at(-1 - back)?.event.id;
    await this.#refusable(async () => {
      await using fork = await this.#open.fork(at === undefined ? {} : { at });
      await this.#refusable(() => fork.run());
    });
    assert.deepEqual(this.#runs, before);
  }

  /** Returns false if the conversation refused, with an error of its own. */
  async #refusable(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      assert.ok(error instanceof AgentError, String(error));
      return false;
    }
  }
}

test('whatever happens between showing and approving, what runs was shown and approved, once', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(action, { minLength: 4, maxLength: 16 }), async (turns, steps) => {
      await using approvals = new Approvals(turns);
      await approvals.start();
      for (const step of [{ kind: 'run' } as const, { kind: 'show' } as const, ...steps]) await approvals.perform(step);
    }),
    { numRuns: 60 },
  );
});
