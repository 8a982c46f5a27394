import { expect, test } from 'vitest';
import * as z from 'zod';
import { eventCodec } from '../codec.ts';
import { text, textOf } from '../content.ts';
import { defineEvent, type BaseEvent } from '../define-event.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { CondensationSummaryEvent } from '../kinds/condensation-summary-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';
import type { Message } from '../message.ts';
import { eventFactory } from '../testing/event-factory.ts';
import { checkMessages } from './check-messages.ts';
import { messageBuilder } from './message-builder.ts';

const codec = eventCodec(builtinKinds);
const project = (events: readonly BaseEvent[]) => messageBuilder(codec)(events);
const shape = ({ role, tool_calls, tool_call_id, content }: Message): string =>
  `${role} ${tool_calls?.map(({ id }) => id).join(',') ?? tool_call_id ?? textOf(content)}`;
const shapes = (events: readonly BaseEvent[]) => project(events).map(shape);

test('each kind has its role', () => {
  const { prompt, user, agent, call, result, error, reject } = eventFactory();
  const calls = [call('a'), call('b'), call('c')];
  const events = [prompt(), user('hi'), ...calls, result(0), error('b'), reject(2), agent('done')];
  expect(shapes(events)).toEqual([
    'system You help.',
    'user hi',
    'assistant a,b,c',
    'tool a',
    'tool b',
    'tool c',
    'assistant done',
  ]);
});

test('the model reads the text of an error', () => {
  const { call, error } = eventFactory();
  const failure = { ...error('a'), error: 'There is no tool teleport.' };
  expect(project([call('a'), failure])[1]).toMatchObject({
    role: 'tool',
    tool_call_id: 'a',
    content: [text('There is no tool teleport.')],
  });
});

test('results follow their calls in call order', () => {
  const { user, call, result, error } = eventFactory();
  const first = [user('go'), call('a'), call('bad'), error('bad'), call('c')];
  expect(shapes([...first, result(2), user('wait'), result(0)])).toEqual([
    'user go',
    'assistant a,bad,c',
    'tool a',
    'tool bad',
    'tool c',
    'user wait',
  ]);
});

test('a call without a result has a notice as its result', () => {
  const { user, call } = eventFactory();
  expect(textOf(project([user('go'), call('a')])[2]?.content ?? [])).toMatch(/outcome is unknown/);
});

test('results without a call, and second results, are omitted', () => {
  const { call, result, error } = eventFactory();
  call('elsewhere');
  expect(shapes([result(0), call('a'), result(1, 'one'), result(1, 'two'), error('a'), error('x')])).toEqual([
    'assistant a',
    'tool a',
  ]);
});

test('only the first result of a call is in the messages', () => {
  const { call, result } = eventFactory();
  expect(textOf(project([call('a'), result(0, 'one'), result(0, 'two')])[1]?.content ?? [])).toBe('one');
});

test('repeated call ids of a server are made unique', () => {
  const { call, result, user } = eventFactory();
  const events = [
    call('x', 'r1'),
    result(0, 'one'),
    user('and'),
    call('x', 'r2'),
    result(1, 'two'),
    call('', 'r3'),
    call('', 'r4'),
  ];
  expect(shapes(events)).toEqual([
    'assistant x',
    'tool x',
    'user and',
    'assistant x_2',
    'tool x_2',
    'assistant call',
    'tool call',
    'assistant call_2',
    'tool call_2',
  ]);
});

test('an error before a call with the same id is not its result', () => {
  const { call, error, result } = eventFactory();
  const events = [call('x', 'r1'), error('x'), error('x'), call('x', 'r2'), result(1, 'real')];
  expect(textOf(project(events)[3]?.content ?? [])).toBe('real');
});

test('replies with the same id are separate messages', () => {
  const { user, agent, call, result } = eventFactory();
  const events = [user('a'), call('1', ''), result(0), call('2', ''), result(1), agent('x'), call('3', '')];
  expect(shapes(events)).toEqual([
    'user a',
    'assistant 1',
    'tool 1',
    'assistant 2',
    'tool 2',
    'assistant x',
    'assistant 3',
    'tool 3',
  ]);
});

test('thought and reasoning of a reply are in its message, blank thoughts are not', () => {
  const { call } = eventFactory();
  const [message] = project([
    call('a', 'r', {
      thought: [text(' '), text('Hm.')],
      reasoning_content: 'rc',
      thinking_blocks: [{ type: 'thinking', thinking: 't' }],
    }),
    call('b', 'r'),
  ]);
  expect(message).toMatchObject({
    content: [{ text: 'Hm.' }],
    reasoning_content: 'rc',
    thinking_blocks: [{ thinking: 't' }],
  });
});

test('thoughts of later calls follow that of the first, and reasoning is only that of the first', () => {
  const { call } = eventFactory();
  const calls = ['a', 'b', 'c'].map((id) =>
    call(id, 'r', {
      thought: [text(`thought ${id}`)],
      reasoning_content: `reasoning ${id}`,
      thinking_blocks: [{ type: 'thinking', thinking: `thinking ${id}` }],
    }),
  );
  const messages = project(calls);
  expect(messages.filter(({ role }) => role === 'assistant')).toMatchObject([
    {
      content: [text('thought a'), text('thought b'), text('thought c')],
      reasoning_content: 'reasoning a',
      thinking_blocks: [{ thinking: 'thinking a' }],
    },
  ]);
  expect(checkMessages(messages)).toEqual([]);
});

test('the summary of a condensation is a user message', () => {
  const { stamp, agent } = eventFactory();
  const summary = CondensationSummaryEvent.create({ summary: 'Two calls failed.' }, stamp());
  expect(project([agent('x'), summary, agent('y')])[1]).toEqual({
    role: 'user',
    content: [text('Two calls failed.')],
    thinking_blocks: [],
  });
});

test('the summary of a condensation is merged with the user messages next to it', () => {
  const { stamp, user } = eventFactory();
  const summary = CondensationSummaryEvent.create({ summary: 'S' }, stamp());
  expect(shapes([user('a'), summary, user('b')])).toEqual(['user a\nS\nb']);
});

test.for([
  ['{"a": 1}', '{"a": 1}'],
  ['', '{}'],
  ['ls -l', '{"unparsed_arguments":"ls -l"}'],
  ['[1]', '{"unparsed_arguments":"[1]"}'],
])('the arguments %j travel as %s', ([stored, sent]) => {
  const { call } = eventFactory();
  expect(project([call('a', 'r', { arguments: stored ?? '' })])[0]?.tool_calls?.[0]?.arguments).toBe(sent);
});

test('consecutive user messages are merged, with all blocks in order', () => {
  const { user, framework } = eventFactory();
  expect(project([user('a'), framework('b'), user('c')])).toEqual([
    { role: 'user', content: [text('a'), text('b'), text('c')], thinking_blocks: [] },
  ]);
});

test('blank messages are omitted', () => {
  const { user, agent } = eventFactory();
  expect(shapes([user(''), user('a'), agent(' '), user('b')])).toEqual(['user a\nb']);
});

test('blank blocks next to others are omitted, and lone surrogates are replaced', () => {
  const { stamp, call, result } = eventFactory();
  const llm_message = { role: 'user' as const, content: [text(' '), text('a\ud83e'), text('')] };
  const message = MessageEvent.create({ source: 'user', llm_message }, stamp());
  const [first, , third] = project([message, call('1'), result(0, 'out\udc00')]);
  expect(first?.content).toEqual([text('a\ufffd')]);
  expect(third?.content).toEqual([text('out\ufffd')]);
});

test('an unchanged message is the stored object', () => {
  const { user } = eventFactory();
  const event = user('a');
  expect(project([event])[0]).toBe(event.llm_message);
});

test.for([
  ['read_file', 'read_file'],
  ['functions.terminal:0', 'functions_terminal_0'],
  ['', 'unknown'],
  ['x'.repeat(65), 'x'.repeat(64)],
])('a call of %j travels as a call of %j', ([stored, sent]) => {
  const { call, result } = eventFactory();
  const action = call('1');
  const named = { ...action, tool_name: stored, tool_call: { ...action.tool_call, name: stored } } as typeof action;
  const [reply, answer] = project([named, result(0)]);
  expect([reply?.tool_calls?.[0]?.name, answer?.name]).toEqual([sent, sent]);
});

test('a second system prompt is omitted, and a late first one is moved to the start', () => {
  const { prompt, user } = eventFactory();
  expect(shapes([user('a'), prompt('One.'), prompt('Two.')])).toEqual(['system One.', 'user a']);
});

test('dynamic context is a separate block', () => {
  const { stamp } = eventFactory();
  const event = SystemPromptEvent.create({ system_prompt: text('s'), tools: [], dynamic_context: text('d') }, stamp());
  expect(project([event])[0]?.content).toEqual([text('s'), text('d')]);
});

test('text of the framework follows the message', () => {
  const { stamp } = eventFactory();
  const llm_message = { role: 'user' as const, content: [text('a')] };
  const event = MessageEvent.create({ source: 'user', llm_message, extended_content: [text('b')] }, stamp());
  expect(project([event])[0]?.content).toEqual([text('a'), text('b')]);
});

test('a rejection contains its source and its reason', () => {
  const { call, stamp } = eventFactory();
  const action = call('a');
  const refusal = { tool_name: 't', tool_call_id: 'a', action_id: action.id, rejection_reason: 'Too risky.' };
  const byHook = UserRejectObservation.create({ ...refusal, rejection_source: 'hook' }, stamp());
  expect(textOf(project([action, byHook])[1]?.content ?? [])).toMatch(/hook.*Too risky\./);
});

test('a result without output has a notice as its content', () => {
  const { call, result } = eventFactory();
  expect(textOf(project([call('a'), result(0, '')])[1]?.content ?? [])).toBe('The call gave no output.');
});

test('messages of custom kinds are made legal', () => {
  const roles = ['user', 'assistant', 'system', 'tool'] as const;
  const Custom = defineEvent('Custom', {
    source: 'environment',
    fields: () => ({ role: z.enum(roles) }),
    toMessage: ({ role }) => ({
      role,
      content: [text('custom')],
      tool_calls: [{ id: 'c', name: 'x', arguments: '', origin: 'completion' }],
      tool_call_id: 'c',
      thinking_blocks: [],
    }),
  });
  const { stamp } = eventFactory();
  const messages = messageBuilder(eventCodec([...builtinKinds, Custom]))(
    roles.map((role) => Custom.create({ role }, stamp())),
  );
  expect(checkMessages(messages)).toEqual([]);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('unchanged events return the same message objects', () => {
  const { prompt, user, call, result, agent } = eventFactory();
  const view: BaseEvent[] = [prompt(), user('a'), user('b'), call('1'), result(0), call('2', 'r2')];
  const stable = messageBuilder(codec);
  const before = stable(view);
  const after = stable([...view, result(1), agent('x'), user('c')]);
  expect(after.map(shape).slice(0, 4)).toEqual(['system You help.', 'user a\nb', 'assistant 1', 'tool 1']);
  expect(after.slice(0, 4).map((message, index) => message === before[index])).toEqual([true, true, true, true]);
});

test('the cost of one more event does not depend on the length of the view', () => {
  let lookups = 0;
  const counting: typeof codec = {
    ...codec,
    kind(name) {
      lookups++;
      return codec.kind(name);
    },
  };
  const { prompt, user, call, result } = eventFactory();
  const view: BaseEvent[] = [prompt()];
  const stable = messageBuilder(counting);
  const costs: number[] = [];
  for (let turn = 0; turn < 300; turn++) {
    lookups = 0;
    view.push(user(`u${turn}`), call(`c${turn}`, `r${turn}`));
    stable([...view]);
    view.push(result(turn));
    stable([...view]);
    costs.push(lookups);
  }
  // One for the user message, one for the result, and the prompt once.
  expect(costs).toEqual([3, ...Array.from({ length: 299 }, () => 2)]);
});

test('any number of consecutive user messages is merged once', () => {
  const { user } = eventFactory();
  const content = [text('x')];
  const readsOf = (length: number): number => {
    let reads = 0;
    const counting: typeof codec = {
      ...codec,
      kind: () => ({
        ...MessageEvent,
        toMessage: () => ({
          role: 'user',
          get content() {
            reads++;
            return content;
          },
          thinking_blocks: [],
        }),
      }),
    };
    messageBuilder(counting)(Array.from({ length }, () => user('x')));
    return reads;
  };
  expect(readsOf(200)).toBeLessThan(3 * readsOf(100));
});

test('a result changes only its own message, not that of its reply or its neighbours', () => {
  const { call, result } = eventFactory();
  const view: BaseEvent[] = [call('a'), call('b'), result(1)];
  const stable = messageBuilder(codec);
  const before = stable(view);
  const after = stable([...view, result(0)]);
  expect(after.map((message, index) => message === before[index])).toEqual([true, false, true]);
});

test('returned messages do not change when the view grows', () => {
  const { user, call, result } = eventFactory();
  const view: BaseEvent[] = [user('a'), call('1')];
  const stable = messageBuilder(codec);
  const before = stable(view);
  const copy = structuredClone(before);
  view.push(result(0), user('b'), user('c'));
  expect(stable(view).map(shape)).toEqual(['user a', 'assistant 1', 'tool 1', 'user b\nc']);
  expect(before).toEqual(copy);
});
