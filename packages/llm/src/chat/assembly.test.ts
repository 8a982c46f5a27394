import { describe, expect, test } from 'vitest';
import { chatAssembly } from './assembly.ts';

type Piece = Readonly<Record<string, unknown>>;

function assembled(...deltas: readonly Piece[]): ReturnType<ReturnType<typeof chatAssembly>['result']> {
  const answer = chatAssembly();
  for (const delta of deltas) answer.push({ choices: [{ index: 0, delta }] });
  answer.end();
  return answer.result();
}

function callsOf(...pieces: readonly Piece[]): readonly (readonly [string | undefined, string, string])[] {
  const { calls } = assembled(...pieces.map((each) => ({ tool_calls: [each] })));
  return calls.map(({ id, name, arguments: json }) => [id, name, json]);
}

function piece(where: Piece, json?: unknown, name?: string): Piece {
  return {
    ...where,
    function: { ...(name !== undefined && { name }), ...(json !== undefined && { arguments: json }) },
  };
}

interface Row {
  readonly title: string;
  readonly pieces: readonly Piece[];
  readonly calls: readonly (readonly [string | undefined, string, string])[];
}

const both = [
  ['a', 'f', '{"x":1}'],
  ['b', 'g', '{"y":2}'],
] as const;
const anonymous = [
  [undefined, 'f', '{"x":1}'],
  [undefined, 'g', '{"y":2}'],
] as const;
const onePiece = [['a', 'f', '{"x":1}']] as const;

const rows: readonly Row[] = [
  {
    title: 'ids and indexes as OpenAI sends them',
    pieces: [
      piece({ id: 'a', index: 0 }, '', 'f'),
      piece({ index: 0 }, '{"x"'),
      piece({ index: 0 }, ':1}'),
      piece({ id: 'b', index: 1 }, '', 'g'),
      piece({ index: 1 }, '{"y":2}'),
    ],
    calls: both,
  },
  {
    title: 'calls whose pieces are interleaved',
    pieces: [
      piece({ id: 'a', index: 0 }, '{"x"', 'f'),
      piece({ id: 'b', index: 1 }, '{"y"', 'g'),
      piece({ index: 0 }, ':1}'),
      piece({ index: 1 }, ':2}'),
    ],
    calls: both,
  },
  {
    title: 'index 0 for every call, distinguished by id',
    pieces: [
      piece({ id: 'a', index: 0 }, '{"x"', 'f'),
      piece({ id: 'a', index: 0 }, ':1}'),
      piece({ id: 'b', index: 0 }, '{"y"', 'g'),
      piece({ id: 'b', index: 0 }, ':2}'),
    ],
    calls: both,
  },
  {
    title: 'ids without indexes',
    pieces: [piece({ id: 'a' }, '{"x"', 'f'), piece({ id: 'b' }, '{"y":2}', 'g'), piece({ id: 'a' }, ':1}')],
    calls: both,
  },
  {
    title: 'neither ids nor indexes, distinguished by names after complete arguments',
    pieces: [piece({}, '{"x"', 'f'), piece({}, ':1}'), piece({}, '{"y":2}', 'g')],
    calls: anonymous,
  },
  {
    title: 'index 0 for every call and no ids',
    pieces: [piece({ index: 0 }, '{"x":1}', 'f'), piece({ index: 0 }, '{"y":2}', 'g')],
    calls: anonymous,
  },
  {
    title: 'blank ids and the word null are no ids',
    pieces: [
      piece({ id: '', index: 0 }, '{"x":1}', 'f'),
      piece({ id: 'null', index: 1 }, '{"y"', 'g'),
      piece({ id: '', index: 1 }, ':2}'),
    ],
    calls: anonymous,
  },
  {
    title: 'an id in a later piece',
    pieces: [piece({ index: 0 }, '{"x"', 'f'), piece({ id: 'a', index: 0 }, ':1}')],
    calls: onePiece,
  },
  {
    title: 'an id that changes with every piece',
    pieces: [piece({ id: 'a', index: 0 }, '{"x"', 'f'), piece({ id: 'z', index: 0 }, ':1}')],
    calls: onePiece,
  },
  {
    title: 'one id for two indexes',
    pieces: [piece({ id: 'a', index: 0 }, '{"x":1}', 'f'), piece({ id: 'a', index: 1 }, '{"y":2}', 'g')],
    calls: [both[0], ['a', 'g', '{"y":2}']],
  },
  {
    title: 'a name that is repeated with every piece',
    pieces: [piece({ id: 'a', index: 0 }, '{"x"', 'f'), piece({ index: 0 }, ':1}', 'f'), piece({ index: 0 }, '', 'f')],
    calls: onePiece,
  },
  {
    title: 'a name in fragments',
    pieces: [
      piece({ id: 'a', index: 0 }, undefined, 'file_'),
      piece({ index: 0 }, '', 'editor'),
      piece({ index: 0 }, '{}'),
    ],
    calls: [['a', 'file_editor', '{}']],
  },
  {
    title: 'arguments as an object',
    pieces: [piece({ id: 'a', index: 0 }, { x: 1 }, 'f')],
    calls: onePiece,
  },
  {
    title: 'no arguments',
    pieces: [piece({ id: 'a', index: 0 }, '', 'f'), piece({ id: 'b', index: 1 }, undefined, 'g')],
    calls: [
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ],
  },
  {
    title: 'arguments that repeat the whole text so far',
    pieces: [piece({ id: 'a', index: 0 }, '{"x', 'f'), piece({ index: 0 }, '{"x":'), piece({ index: 0 }, '{"x":1}')],
    calls: onePiece,
  },
  {
    title: 'an empty object before the real one',
    pieces: [piece({ id: 'a', index: 0 }, '{}', 'f'), piece({ index: 0 }, '{"x"'), piece({ index: 0 }, ':1}')],
    calls: onePiece,
  },
  {
    title: 'arguments that parse before they end',
    pieces: [piece({ id: 'a', index: 0 }, '{"x":1}', 'f'), piece({ index: 0 }, ' \n')],
    calls: [['a', 'f', '{"x":1} \n']],
  },
];

describe('the pieces of calls', () => {
  test.for(rows)('$title', ({ pieces, calls }) => {
    expect(callsOf(...pieces)).toEqual(calls);
  });
});

test('the first delta of a call contains its name, later ones do not', () => {
  const answer = chatAssembly();
  const push = (each: Piece): unknown => answer.push({ choices: [{ delta: { tool_calls: [each] } }] });
  expect(push(piece({ id: 'a', index: 0 }, '', 'f'))).toEqual([]);
  expect(push(piece({ index: 0 }, '{'))).toEqual([{ kind: 'tool-call', index: 0, name: 'f', arguments: '{' }]);
  expect(push(piece({ index: 0 }, '}'))).toEqual([{ kind: 'tool-call', index: 0, arguments: '}' }]);
  push(piece({ id: 'b', index: 1 }, '', 'g'));
  expect(answer.end()).toEqual([{ kind: 'tool-call', index: 1, name: 'g', arguments: '' }]);
});

test('reasoning is read from the first field with content', () => {
  const { reasoning } = assembled(
    { reasoning_content: 'a', reasoning: 'a' },
    { reasoning: 'b' },
    { reasoning_text: 'c', reasoning_content: null },
    { content: [{ type: 'thinking', thinking: 'd' }] },
  );
  expect(reasoning).toBe('abcd');
});

test('reasoning details of one index grow into one item', () => {
  const detail = { type: 'reasoning.text', index: 0 };
  const { reasoningDetails } = assembled(
    { reasoning_details: [{ ...detail, text: 'a', signature: null }] },
    {
      reasoning_details: [
        { ...detail, text: 'b', signature: 's' },
        { type: 'reasoning.encrypted', data: 'x', index: 1 },
      ],
    },
  );
  expect(reasoningDetails).toEqual([
    { type: 'reasoning.text', index: 0, text: 'ab', signature: 's' },
    { type: 'reasoning.encrypted', data: 'x', index: 1 },
  ]);
});

test('text may be parts, null, or accompanied by an empty list of calls', () => {
  const { text, calls } = assembled(
    { role: '', content: null, tool_calls: null },
    { content: 'a', tool_calls: [] },
    { content: [{ type: 'text', text: 'b' }] },
    { refusal: 'c' },
  );
  expect([text, calls]).toEqual(['abc', []]);
});

test('the last usage wins, in whichever field', () => {
  const answer = chatAssembly();
  answer.push({ choices: [{ delta: { content: 'a' }, usage: { prompt_tokens: 1 } }] });
  answer.push({ choices: [{ delta: {} }], usage: { prompt_tokens: 2 } });
  answer.push({ choices: [], usage: { prompt_tokens: 3 } });
  answer.push({ choices: null, usage: null });
  expect(answer.result().usage).toEqual({ prompt_tokens: 3 });
});

test('only the first choice is read', () => {
  const answer = chatAssembly();
  answer.push({ choices: [{ index: 0, delta: { content: 'first' } }] });
  answer.push({ choices: [{ index: 1, delta: { content: 'other' } }] });
  answer.push({
    choices: [
      { index: 1, delta: { content: 'other' } },
      { index: 0, delta: { content: '.' } },
    ],
  });
  expect(answer.result().text).toBe('first.');
});

test('chunks without choices and nonsense add nothing', () => {
  const answer = chatAssembly();
  const nonsense = [null, 5, 'x', [], {}, { choices: [null] }];
  expect(nonsense.flatMap((chunk) => answer.push(chunk))).toEqual([]);
  expect(answer.result()).toMatchObject({ text: '', hasChoice: false });
});

test('a chunk with a whole message is read like a delta', () => {
  const answer = chatAssembly();
  const call = { id: 'a', function: { name: 'f', arguments: '{}' } };
  const deltas = answer.push({
    choices: [{ message: { content: 'a', tool_calls: [call, call] }, finish_reason: 'stop' }],
  });
  expect(deltas.map(({ kind }) => kind)).toEqual(['text', 'tool-call', 'tool-call']);
  expect(answer.result().calls).toHaveLength(2);
});

test("reasoning in the text is separated, and a server's own separation is kept", () => {
  const answer = chatAssembly('leading');
  const texts = ['<th', 'ink>Hm.</thi', 'nk>\n\nHel', 'lo.'];
  const deltas = texts.flatMap((content) => answer.push({ choices: [{ index: 0, delta: { content } }] }));
  expect([...deltas, ...answer.end()]).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo.' },
  ]);
  expect(answer.result()).toMatchObject({ text: 'Hello.', reasoning: 'Hm.' });
});

test('text that could be the start of a tag is emitted at the end', () => {
  const answer = chatAssembly('leading');
  expect(answer.push({ choices: [{ index: 0, delta: { content: '<thin' } }] })).toEqual([]);
  expect(answer.end()).toEqual([{ kind: 'text', text: '<thin' }]);
  expect(answer.result().text).toBe('<thin');
});

test('a response that a gateway wraps is unwrapped', () => {
  const answer = chatAssembly();
  answer.push({ success: true, data: { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] } });
  expect(answer.result()).toMatchObject({ text: 'Hi', finish: 'stop' });
});
