import { expect, test } from 'vitest';
import { text } from '../content.ts';
import type { Message } from '../message.ts';
import { checkMessages } from './check-messages.ts';

const message = (role: Message['role'], ...texts: string[]): Message => ({
  role,
  content: texts.map(text),
  thinking_blocks: [],
});
const calls = (...ids: string[]): Message => ({
  ...message('assistant'),
  tool_calls: ids.map((id) => ({ id, name: 't', arguments: '{}', origin: 'completion' })),
});
const result = (tool_call_id: string): Message => ({ ...message('tool', 'out'), tool_call_id });
const withArguments = (json: string): Message => ({
  ...calls(),
  tool_calls: [{ id: 'a', name: 't', arguments: json, origin: 'completion' }],
});

const named = (name: string): Message => ({
  ...calls(),
  tool_calls: [{ id: 'a', name, arguments: '{}', origin: 'completion' }],
});

test('a whole conversation is legal', () => {
  const image: Message = {
    ...message('user'),
    content: [{ cache_prompt: false, type: 'image', image_urls: ['data:,x'] }],
  };
  const first = [message('system', 's'), image, { ...calls('a', 'b'), content: [text('t')] }, result('a'), result('b')];
  expect(checkMessages([...first, message('assistant', 'x'), message('user', 'u'), calls('c'), result('c')])).toEqual(
    [],
  );
  expect(checkMessages([])).toEqual([]);
});

const illegal: readonly (readonly [string, readonly Message[], RegExp])[] = [
  [
    'a second system message',
    [message('system', 's'), message('system', 's')],
    /message 1 is a system message but not the first/,
  ],
  ['a late system message', [message('user', 'u'), message('system', 's')], /system message but not the first/],
  ['a missing result', [calls('a', 'b'), result('a')], /lacks the results of b/],
  [
    'a message before a result',
    [calls('a'), message('user', 'u'), result('a')],
    /message 1 comes before the results of a/,
  ],
  ['results in another order', [calls('a', 'b'), result('b'), result('a')], /message 1 answers call b, expected a/],
  ['a result without a call', [message('user', 'u'), result('a')], /answers call a, expected none/],
  ['a result without an id', [message('user', 'u'), message('tool', 'out')], /answers call none, expected none/],
  ['a second result', [calls('a'), result('a'), result('a')], /message 2 answers call a, expected none/],
  ['a repeated id in one reply', [calls('a', 'a'), result('a'), result('a')], /reuses the call id "a"/],
  ['an id that comes twice', [calls('a'), result('a'), calls('a'), result('a')], /message 2 reuses the call id "a"/],
  ['an empty id', [calls(''), result('')], /reuses the call id ""/],
  ['arguments that are no JSON', [withArguments('{'), result('a')], /arguments that are not a JSON object/],
  ['arguments that are a list', [withArguments('[]'), result('a')], /arguments that are not a JSON object/],
  [
    'two user messages',
    [message('user', 'u'), message('user', 'v')],
    /message 1 is a user message after a user message/,
  ],
  ['a call by the user', [{ ...calls('a'), role: 'user' }, result('a')], /has calls but the role user/],
  ['an empty list of calls', [{ ...message('assistant', 'x'), tool_calls: [] }], /empty list of calls/],
  ['a message without content', [message('user')], /message 0 is blank/],
  ['a message of white space', [message('assistant', ' \n', '')], /message 0 is blank/],
  ['a blank block next to another', [message('user', 'u', ' ')], /message 0 has a block that is blank/],
  ['a lone surrogate', [message('user', 'u\ud83e')], /has half a character/],
  ['a name with a dot', [named('a.b'), result('a')], /message 0 calls a tool by the illegal name "a.b"/],
  ['no name', [named(''), result('a')], /illegal name ""/],
  ['a name that is too long', [named('x'.repeat(65)), result('a')], /illegal name "x+"/],
  ['a blank result', [calls('a'), { ...result('a'), content: [text('')] }], /message 1 is blank/],
  [
    'an image message without images',
    [{ ...message('user'), content: [{ cache_prompt: false, type: 'image', image_urls: [] }] }],
    /blank/,
  ],
];

test.for(illegal)('%s is illegal', ([, messages, reason]) => {
  expect(checkMessages(messages).join('; ')).toMatch(reason);
});
