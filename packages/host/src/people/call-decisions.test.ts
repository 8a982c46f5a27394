import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { ObservationEvent, UserRejectObservation } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal, ToolError } from '@varve/tools';
import { expect, onTestFinished, test } from 'vitest';
import { HostedConversation } from '../live/hosted-conversation.ts';
import type { Approval, Person } from './person.ts';
import { Questions } from './questions.ts';

const call = (word: string) => ({ name: 'terminal', arguments: { command: `echo ${word}` } });
const words = ['one', 'two', 'three'];
const done = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Hosts a conversation, opened again if it exists, and a person with such answers; then it is undecided. */
async function hostedIn(
  store: ReturnType<typeof memoryStore>,
  { id, of = words, next }: { id?: string; of?: string[]; next?: string[] } = {},
) {
  const replies = id === undefined ? [of, ...(next ? [next] : [])].map((each) => ({ calls: each.map(call) })) : [];
  const agent = defineAgent({
    model: scriptedModel([...replies, done, done]),
    tools: () => [terminal(), finish()],
    wrapTool: (tool) => ({
      ...tool,
      parse(fields) {
        if (JSON.stringify(fields).length > 100) throw new ToolError('invalid-input', 'It is too long.');
        return tool.parse(fields);
      },
    }),
    confirmation: alwaysConfirm(),
  });
  const options = { agent, store, workspace: '/' };
  const conversation =
    id === undefined ? await Conversation.create(options) : await Conversation.open({ ...options, id });
  const hosted = new HostedConversation(conversation);
  onTestFinished(async () => hosted[Symbol.asyncDispose]());
  const asked: string[] = [];
  const problems: (string | undefined)[] = [];
  const run = async (...answers: readonly Approval[]) => {
    const left = [...answers];
    const approve: Person['approve'] = async ({ call: { event }, problem }) => {
      problems.push(problem);
      asked.push(/echo (\w+)/.exec(JSON.stringify(event.tool_call))?.[1] ?? 'finish');
      return left.shift() ?? 'later';
    };
    const person = { approve, choose: async () => undefined };
    return hosted.run({ questions: new Questions(person, { addRules: async () => undefined }) });
  };
  return { hosted, conversation, asked, problems, run };
}

/** Returns the results of calls in their order: the output of a command, or the reason of a rejection. */
async function resultsOf(conversation: Conversation): Promise<readonly string[]> {
  const results: string[] = [];
  for await (const { event } of conversation.events()) {
    if (UserRejectObservation.is(event)) results.push(event.rejection_reason);
    if (ObservationEvent.is(event)) results.push(JSON.stringify(event.observation.content));
  }
  return results;
}

test('decisions before one that is postponed are kept, and only the others are asked about again', async () => {
  const { hosted, conversation, asked, run } = await hostedIn(memoryStore());
  await hosted.send('Go.');
  expect((await run({ command: 'echo edited' }, { reason: 'Not two.' }, 'later')).reason).toBe('waiting');
  expect(await resultsOf(conversation)).toEqual(['Not two.']);
  expect(conversation.state.status).toBe('waiting_for_confirmation');
  expect(hosted.waiting().asked.map(({ event }) => event.tool_call.arguments)).toEqual(['{"command":"echo three"}']);
  expect((await run('once')).text).toBe('Done.');
  expect(asked).toEqual(['one', 'two', 'three', 'three']);
  expect(await resultsOf(conversation)).toContainEqual(
    expect.stringMatching(/^The user changed[^]*"echo edited"[^]*\nedited\n/),
  );
});

test.for([
  ['by the digest that was shown', (hosted: HostedConversation) => hosted.decide({ digest: hosted.waiting().digest })],
  ['with all that waits', (hosted: HostedConversation) => hosted.decide({})],
] as const)('a command that a person edited stays edited when its reply is approved %s', async ([, approve]) => {
  const { hosted, conversation, run } = await hostedIn(memoryStore());
  await hosted.send('Go.');
  const shown = hosted.waiting().digest;
  await run({ command: 'echo edited' }, 'later');
  expect(hosted.waiting().digest).not.toBe(shown);
  await approve(hosted);
  expect((await run()).text).toBe('Done.');
  const [first, second] = await resultsOf(conversation);
  expect(first).toMatch(/^The user changed[^]*\nedited\n/);
  expect(second).toContain('two');
});

test('a command that the tool does not accept is asked about again, and ends no run', async () => {
  const { hosted, conversation, asked, run, problems } = await hostedIn(memoryStore(), { of: ['one'] });
  await hosted.send('Go.');
  expect((await run({ command: 'x'.repeat(101) }, { command: 'echo edited' })).text).toBe('Done.');
  expect([asked, problems]).toEqual([
    ['one', 'one'],
    [undefined, 'It is too long.'],
  ]);
  expect((await resultsOf(conversation))[0]).toMatch(/^The user changed[^]*\nedited\n/);
});

test('approvals survive the end of the process, and nothing runs before the other calls are decided', async () => {
  const store = memoryStore();
  const first = await hostedIn(store);
  await first.hosted.send('Go.');
  await first.run('once', 'once', 'later');
  await first.hosted[Symbol.asyncDispose]();
  const { hosted, conversation, asked, run } = await hostedIn(store, { id: first.conversation.id });
  expect((await run('later')).reason).toBe('waiting');
  expect(await resultsOf(conversation)).toEqual([]);
  await run({ reason: 'Not three.' });
  expect(asked).toEqual(['three', 'three']);
  expect((await resultsOf(conversation)).slice(0, 3)).toEqual([
    'Not three.',
    expect.stringContaining('one'),
    expect.stringContaining('two'),
  ]);
  expect(hosted.waiting().calls).toEqual([]);
});

test('a message rejects the calls that are not decided, and approved ones run', async () => {
  const { hosted, conversation, run } = await hostedIn(memoryStore());
  await hosted.send('Go.');
  await run('once', { reason: 'Not two.' }, 'later');
  await hosted.send('Something else.');
  await run();
  expect((await resultsOf(conversation)).slice(0, 3)).toEqual([
    'Not two.',
    'Something else.',
    expect.stringContaining('one'),
  ]);
});

test('an approval for the session covers the same call of the same reply', async () => {
  const { hosted, conversation, asked, run } = await hostedIn(memoryStore(), { of: ['one', 'one', 'two'] });
  await hosted.send('Go.');
  await run('session', 'later');
  expect(asked).toEqual(['one', 'two']);
  const approved = conversation.state.pending.map(({ approvedDigest }) => approvedDigest !== undefined);
  expect(approved).toEqual([true, true, false]);
});

test('an approval for the session does not cover a call after an edited command that leaves the shell elsewhere', async () => {
  const { hosted, conversation, asked, run } = await hostedIn(memoryStore(), { of: ['one'], next: ['two', 'one'] });
  await hosted.send('Go.');
  expect((await run('session', { command: 'cd /usr' }, 'later')).reason).toBe('waiting');
  expect(asked).toEqual(['one', 'two', 'one']);
  expect(conversation.state.pending.map(({ approvedDigest }) => approvedDigest !== undefined)).toEqual([true, false]);
});
