import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { taskFact } from '@varve/events/facts';
import { AgentErrorEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { presentObservation } from '@varve/events/payloads';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type AgentOptions, type SubAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { delegationTools } from '../src/delegation-tools/delegation-kinds.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import { AgentError } from '../src/error.ts';
import { readState } from '../src/log/read-log.ts';
import { crashingStore } from '../src/testing/crashing-store.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'e'.repeat(32);
const used = { costUsd: 0.25, usage: { input_tokens: 90, output_tokens: 10 } };
const call = (name: string, args: Readonly<Record<string, unknown>>): ScriptedTurn => ({
  calls: [{ name, arguments: args }],
  ...used,
});
const done = (message: string): ScriptedTurn => call('finish', { message });
const hang: ScriptedTurn = { fault: { kind: 'hang', afterPieces: 0 } };

const noteTool = () =>
  defineTool({
    name: 'note',
    description: 'Notes.',
    input: z.object({ text: z.string().describe('A text.') }),
    effect: 'write',
    execute: async ({ text }) => `Noted ${text}.`,
  });

/** A sub-agent with a script of its own for each of its conversations, by the first word of its first message. */
function worker(name: string, scripts: Readonly<Record<string, readonly ScriptedStep[]>>, more = {}): SubAgent {
  const models = Object.values(scripts).map((steps) => scriptedModel(steps));
  return {
    name,
    description: `Does the work of ${name}.`,
    ...more,
    create: (parent, context) => {
      const names = Object.keys(scripts);
      const model = {
        ...parent.model,
        generate: (...[request, options]: Parameters<typeof parent.model.generate>) => {
          const first =
            textOf(request.messages.find(({ role }) => role === 'user')?.content ?? []).split(/\s/)[0] ?? '';
          const scripted = models[names.indexOf(first)];
          if (!scripted) throw new Error(`No script for ${first}.`);
          return scripted.generate(request, options);
        },
      };
      return derivedAgent(parent, { instructions: 'You help.', model }, context);
    },
  };
}

interface Setup extends Partial<AgentOptions> {
  readonly store?: EventStore;
}

function agentOf(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  return defineAgent({
    model: scriptedModel(steps),
    tools: (context) => [noteTool(), ...delegationTools(context), finish()],
    ...options,
  });
}

async function started(steps: readonly ScriptedStep[], { store = memoryStore(), ...options }: Setup = {}) {
  const conversation = await Conversation.create({
    agent: agentOf(steps, options),
    store,
    workspace: process.cwd(),
    id,
  });
  await conversation.send('Go.');
  return { conversation, store };
}

async function resultsOf(conversation: Conversation): Promise<readonly string[]> {
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  return events.flatMap((event) => {
    if (AgentErrorEvent.is(event)) return [event.error];
    if (!ObservationEvent.is(event) || event.tool_name === 'finish') return [];
    return [textOf(presentObservation(event.observation)).replace('[The tool reported an error.]\n', '')];
  });
}

async function tasksOf(conversation: Conversation) {
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  return events.flatMap((event) => taskFact.read(event) ?? []);
}

test('a task runs in a conversation of its own, linked from the log, and returns its answer', async () => {
  const helper = worker('helper', { Count: [call('note', { text: 'a' }), done('There are 3.')] });
  const steps = [
    call('task', { prompt: 'Count them.', subagent_type: 'helper', description: 'Count' }),
    done('Three.'),
  ];
  const { conversation, store } = await started(steps, { subAgents: [helper] });
  await using _ = conversation;
  const { text, usage } = await conversation.run();
  expect([text, usage.calls]).toEqual(['Three.', 4]);
  expect(await resultsOf(conversation)).toEqual([
    '[task: task_00000001, sub-agent: helper, status: completed]\nThere are 3.',
  ]);
  const [task] = await tasksOf(conversation);
  expect(task).toMatchObject({ task_id: 'task_00000001', sub_agent: 'helper', description: 'Count' });
  const child = await readState(await store.read(task?.conversation_id ?? ''));
  expect(child).toMatchObject({ status: 'finished' });
  expect((await store.summary(task?.conversation_id ?? '')).meta).toMatchObject({ parent: id, title: 'Count them.' });
});

test('a task is resumed by its id, with all that it knows', async () => {
  const helper = worker('helper', { Count: [done('Three.'), done('Four.')] });
  const steps = [
    call('task', { prompt: 'Count them.' }),
    call('task', { prompt: 'Again.', resume: 'task_00000001' }),
    call('task', { prompt: 'Again.', resume: 'task_9' }),
    call('task', { prompt: 'Count them.', subagent_type: 'nobody' }),
    done('Done.'),
  ];
  const { conversation, store } = await started(steps, { subAgents: [helper] });
  await using _ = conversation;
  await conversation.run();
  expect(await resultsOf(conversation)).toEqual([
    '[task: task_00000001, sub-agent: helper, status: completed]\nThree.',
    '[task: task_00000001, sub-agent: helper, status: completed]\nFour.',
    '[task: task_9, sub-agent: general-purpose, status: error]\nThere is no task "task_9". The tasks are: task_00000001.',
    '[task: , sub-agent: nobody, status: error]\nThere is no sub-agent "nobody". The sub-agents are: helper.',
  ]);
  expect((await store.list()).items).toHaveLength(2);
});

test('tasks of one reply run concurrently, and delegate() returns the results of all, in order', async () => {
  const both = Promise.withResolvers<void>();
  let running = 0;
  const meeting = (answer: string) => async (): Promise<ScriptedTurn> => {
    if (++running === 2) both.resolve();
    await both.promise;
    return done(answer);
  };
  const helper = worker('helper', { A: [meeting('It is A.')], B: [meeting('It is B.')], C: [hang] });
  const failing: SubAgent = {
    name: 'failing',
    description: 'Fails.',
    create: () => {
      throw new AgentError('invalid', 'No tools.');
    },
  };
  const steps = [
    call('delegate', { command: 'spawn', ids: ['one', 'two'], agent_types: ['helper', 'failing'] }),
    call('delegate', { command: 'spawn', ids: ['one', 'two'], agent_types: ['helper'] }),
    call('delegate', { command: 'delegate', tasks: { one: 'A please', two: 'B please' } }),
    call('delegate', { command: 'delegate', tasks: { three: 'A please' } }),
    done('Done.'),
  ];
  const { conversation } = await started(steps, { subAgents: [helper, failing] });
  await using _ = conversation;
  await conversation.run();
  expect(await resultsOf(conversation)).toEqual([
    'The sub-agent failing cannot be created: No tools.',
    'Ready for tasks: one (helper), two (helper).',
    '[sub-agent: one (helper), status: completed]\nIt is A.\n\n[sub-agent: two (helper), status: completed]\nIt is B.',
    'No sub-agent "three" was spawned. There are: one, two.',
  ]);
});

test.for<[string, Readonly<Record<string, unknown>>, string]>([
  ['without ids', { command: 'spawn' }, 'spawn needs the ids of the sub-agents, from 1 to 5, and there are 0.'],
  ['with a repeated id', { command: 'spawn', ids: ['a', 'a'] }, 'The id "a" is used twice, or is not a name.'],
  ['with the id of a task', { command: 'spawn', ids: ['task_1'] }, 'The id "task_1" is used twice, or is not a name.'],
  [
    'with more kinds than ids',
    { command: 'spawn', ids: ['a'], agent_types: ['x', 'y'] },
    'There are 2 kinds of sub-agents for 1 ids.',
  ],
  [
    'without tasks',
    { command: 'delegate' },
    'delegate needs the tasks by the ids of the sub-agents, from 1 to 5, and there are 0.',
  ],
])('delegate() %s is answered, and nothing starts', async ([, input, answer]) => {
  const { conversation, store } = await started([call('delegate', input), done('Done.')], {
    subAgents: [worker('helper', {})],
  });
  await using _ = conversation;
  await conversation.run();
  expect([await resultsOf(conversation), await tasksOf(conversation)]).toEqual([[answer], []]);
  expect((await store.list()).items).toHaveLength(1);
});

test('a sub-agent that reaches its limit, repeats itself or fails does not stop its parent or the others', async () => {
  const busy = ['a', 'b', 'c', 'd'].map((text) => call('note', { text }));
  const broken: ScriptedTurn = { fault: { kind: 'answer', status: 400, body: 'No.' } };
  const limited = worker('limited', { L: busy }, { limits: { maxIterations: 2 } });
  const stuck = worker('stuck', { S: Array.from({ length: 30 }, () => call('note', { text: 'x' })) });
  const failing = worker('failing', { F: [broken] });
  const fine = worker('fine', { G: [done('Good.')] });
  const ids = ['limited', 'stuck', 'failing', 'fine'];
  const steps = [
    call('delegate', { command: 'spawn', ids, agent_types: ids }),
    call('delegate', { command: 'delegate', tasks: { limited: 'L', stuck: 'S', failing: 'F', fine: 'G' } }),
    done('Done.'),
  ];
  const { conversation } = await started(steps, { subAgents: [limited, stuck, failing, fine] });
  await using _ = conversation;
  expect((await conversation.run()).reason).toBe('finished');
  const [, result = ''] = await resultsOf(conversation);
  expect(result).toMatch(
    /limited\), status: error\]\nThe sub-agent ended after 2 steps. No answer: the run reached its limit \(max-iterations\)/,
  );
  expect(result).toMatch(/stuck\), status: error\]\nThe sub-agent ended after .* stuck \(repeated-calls\)/);
  expect(result).toMatch(/failing\), status: error\]\nThe sub-agent ended after 1 steps. No answer: the run failed/);
  expect(result).toMatch(/fine\), status: completed\]\nGood\.$/);
});

test('a sub-agent that hangs ends when its time is over, and can be resumed', async () => {
  const late = new AbortController();
  const deadlines = [late.signal];
  const hanging = (): ScriptedTurn => {
    late.abort();
    return hang;
  };
  const helper = worker('helper', { H: [hanging, done('Now.')] }, { limits: { maxMs: 60_000 } });
  const steps = [
    call('task', { prompt: 'H' }),
    call('task', { prompt: 'Go on.', resume: 'task_00000001' }),
    done('Done.'),
  ];
  await using conversation = await Conversation.create({
    agent: agentOf(steps, { subAgents: [helper] }),
    store: memoryStore(),
    workspace: process.cwd(),
    timeout: () => deadlines.pop() ?? new AbortController().signal,
  });
  await conversation.send('Go.');
  await conversation.run();
  const [first = '', second] = await resultsOf(conversation);
  expect(first).toMatch(/status: error\]\nThe sub-agent ended.* its limit \(max-time\).* Resume it with the id task_0/);
  expect(second).toBe('[task: task_00000001, sub-agent: helper, status: completed]\nNow.');
});

test('interrupting a run interrupts its sub-agents, and the next run can resume them', async () => {
  const helper = worker('helper', {
    H: [
      () => {
        queueMicrotask(() => void conversation.interrupt());
        return hang;
      },
      done('Now.'),
    ],
  });
  const steps = [
    call('task', { prompt: 'H' }),
    call('task', { prompt: 'Go on.', resume: 'task_00000001' }),
    done('Done.'),
  ];
  const { conversation } = await started(steps, { subAgents: [helper] });
  await using _ = conversation;
  expect((await conversation.run()).reason).toBe('interrupted');
  const [first] = await resultsOf(conversation);
  expect(first).toMatch(/task_00000001[^]*was interrupted/);
  await conversation.run();
  expect((await resultsOf(conversation)).at(-1)).toContain('status: completed]\nNow.');
});

test('calls of a sub-agent wait as the policy of the parent asks; a person answers them during its run', async () => {
  const helper = worker('helper', { N: [call('note', { text: 'a' }), call('note', { text: 'b' }), done('Noted.')] });
  const steps = [call('task', { prompt: 'N' }), done('Done.')];
  const { conversation } = await started(steps, { subAgents: [helper], confirmation: alwaysConfirm() });
  await using _ = conversation;
  expect((await conversation.run()).reason).toBe('waiting');
  await conversation.approve();
  const asked: string[] = [];
  await conversation.run({
    onChildWaiting: async ({ taskId, conversation: child }) => {
      asked.push(...child.state.pending.map(({ event }) => `${taskId} ${event.tool_call.arguments}`));
      await (asked.length === 1 ? child.approve({ digest: child.digestOf() }) : child.reject('Not b.'));
    },
  });
  expect(asked).toEqual(['task_00000001 {"text":"a"}', 'task_00000001 {"text":"b"}']);
  expect(await resultsOf(conversation)).toEqual([expect.stringContaining('status: completed]\nNoted.')]);
});

test('calls of a sub-agent that nobody answers are reported, and run when the task is resumed after an approval', async () => {
  const helper = worker('helper', { N: [call('note', { text: 'a' }), done('First.'), done('Second.')] });
  const resume = call('task', { prompt: 'And?', resume: 'task_00000001' });
  const { conversation, store } = await started([call('task', { prompt: 'N' }), resume, done('Done.')], {
    subAgents: [helper],
    confirmation: alwaysConfirm(),
  });
  await using _ = conversation;
  await conversation.run();
  await conversation.approve();
  // The second call of the parent waits too.
  expect((await conversation.run()).reason).toBe('waiting');
  const [first = ''] = await resultsOf(conversation);
  expect(first).toMatch(/waits until a person approves these calls in conversation \w{32}:\nnote \{"text":"a"\}/);
  const [task] = await tasksOf(conversation);
  const childAgent = helper.create(agentOf([]), { toolNames: ['note', 'finish'] });
  await using child = await Conversation.open({ agent: childAgent, store, id: task?.conversation_id ?? '' });
  expect(child.state.status).toBe('waiting_for_confirmation');
  await child.approve();
  await child[Symbol.asyncDispose]();
  await conversation.approve();
  await conversation.run();
  expect((await resultsOf(conversation)).at(-1)).toContain('status: completed]\nSecond.');
  const state = await readState(await store.read(task?.conversation_id ?? ''));
  expect(state.view.events.filter((event) => ObservationEvent.is(event)).map(({ tool_name }) => tool_name)).toEqual([
    'note',
    'finish',
    'finish',
  ]);
});

test('sub-agents of sub-agents end at the third level', async () => {
  const nested: SubAgent = {
    name: 'nested',
    description: 'Delegates.',
    create: (parent, context) =>
      derivedAgent(
        parent,
        {
          instructions: '',
          toolNames: ['task'],
          model: scriptedModel([call('task', { prompt: 'Down.' }), { text: 'Up.' }]),
        },
        context,
      ),
  };
  const { conversation, store } = await started([call('task', { prompt: 'Down.' }), done('Done.')], {
    subAgents: [nested],
  });
  await using _ = conversation;
  await conversation.run();
  const { items } = await store.list();
  expect(items).toHaveLength(4);
  const texts = await Promise.all(
    items.map(async ({ id: itemId }) => JSON.stringify(await readState(await store.read(itemId)))),
  );
  expect(texts.filter((text) => text.includes('cannot start others')).length).toBe(1);
});

/** Answers a request without results with one call, and one with results with the end. */
const once =
  (first: ScriptedTurn): ScriptedStep =>
  (request) =>
    request.messages.some(({ role }) => role === 'tool') ? done('Done.') : first;

test('after a crash at any append a task continues in its own conversation, and repeats no message and no write', async () => {
  for (const stored of [true, false]) {
    for (let at = 2; ; at++) {
      const { tool, runs } = countingTool();
      const helper: SubAgent = {
        name: 'helper',
        description: 'Records.',
        create: (parent, context) => {
          const step = once(call('record', { text: 'a' }));
          return derivedAgent(parent, { instructions: '', model: scriptedModel([step, step, step]) }, context);
        },
      };
      const step = once(call('task', { prompt: 'Record.' }));
      const agent = () =>
        agentOf([step, step, step], {
          subAgents: [helper],
          tools: (context) => [tool(), ...delegationTools(context), finish()],
        });
      const store = memoryStore();
      const crashing = crashingStore(store, { at, stored });
      const first = await Conversation.create({ agent: agent(), store: crashing, workspace: process.cwd(), id });
      const sent = await first.send('Go.').catch(() => undefined);
      const end = sent === undefined ? undefined : await first.run().catch(() => undefined);
      await first[Symbol.asyncDispose]().catch(() => undefined);
      if (end?.reason === 'finished') break;
      await using second = await Conversation.open({ agent: agent(), store, id });
      if (second.state.lastUserMessageId === undefined) continue;
      expect((await second.run()).reason).toBe('finished');
      const children = (await store.list()).items.filter((item) => item.id !== id);
      expect(children).toHaveLength(1);
      const child = await readState(await store.read(children[0]?.id ?? ''));
      const messages = child.view.events.filter((event) => MessageEvent.is(event) && event.source === 'user');
      expect([child.status, messages.length]).toEqual(['finished', 1]);
      expect(runs.get('a') ?? 0).toBeLessThanOrEqual(1);
    }
  }
});
