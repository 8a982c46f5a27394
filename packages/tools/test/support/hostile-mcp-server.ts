import { createInterface } from 'node:readline';

/**
 * A server of tools, the name of whose attack is its argument. It has one tool, unless the attack is its list of tools.
 */
const [, , attack = ''] = process.argv;

const open = { type: 'object', properties: { text: { type: 'string' } } };
const wide = Object.fromEntries(
  Array.from({ length: 30_000 }, (_, at) => [`p${at}`, { type: 'string', maxLength: 9 }]),
);
const slow = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner: unknown) => ({ type: 'array', items: inner }), {});

/** Schemas that fit by one of two ways at each of many levels. */
function doubling(levels: number) {
  const definitions = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { anyOf: [next, next] }] as const;
  });
  return Object.fromEntries([...definitions, [`d${levels}`, { type: 'object', required: ['never'] }]]);
}

const repeated = { $ref: '#/properties/text' };
const inputs: Readonly<Record<string, object>> = {
  pattern: slow,
  doubling: { type: 'object', properties: { text: { $ref: '#/$defs/d0' } }, $defs: doubling(40) },
  'a recursive reference': { type: 'object', properties: { text: { anyOf: [repeated, { type: 'null' }, repeated] } } },
  depth: { type: 'object', properties: { text: nested(90) } },
  'pattern of names': { type: 'object', patternProperties: { '^(t+e?x?)+$': { type: 'string' } } },
};
const outputs: Readonly<Record<string, object>> = {
  'pattern of results': slow,
  'wide results': { type: 'object', properties: wide },
};

const pieces: Readonly<Record<string, string>> = {
  'questions without end': '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
  'notes without end': '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n',
  'lines without end': 'x\n',
  'blank lines without end': '\n',
  'a line without end': 'x',
};

const results: Readonly<Record<string, object>> = {
  'pattern of results': { content: [], structuredContent: { text: `${'a'.repeat(40)}!` } },
  'many values': { content: [], structuredContent: { a: Array.from({ length: 400_000 }, () => ({})) } },
  'deep result': { content: [], structuredContent: { a: nested(250) } },
  'wide results': { content: [{ type: 'text', text: 'Fine.' }], structuredContent: {} },
};

let pages = 0;

function listed(): object {
  const tool = { name: 'echo', inputSchema: inputs[attack] ?? open, outputSchema: outputs[attack] };
  if (attack !== 'pages without end') return { tools: [tool] };
  const page = ++pages;
  return {
    tools: Array.from({ length: 3000 }, (_, at) => ({ ...tool, name: `${page}_${at}`, description: 'x'.repeat(2500) })),
    nextCursor: String(page),
  };
}

/** Writes for as long as the client reads, and reads nothing itself. */
function flood(piece: string): void {
  process.stdin.pause();
  const block = piece.repeat(Math.ceil(60_000 / piece.length));
  const write = (): void => {
    while (process.stdout.write(block));
    process.stdout.once('drain', write);
  };
  write();
}

function send(id: unknown, result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method: string };
  const serverInfo = { name: 'hostile', version: '1' };
  if (method === 'initialize') send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  if (method === 'tools/list') send(id, listed());
  if (method !== 'tools/call') return;
  const piece = pieces[attack];
  if (attack === 'long lines') process.stdout.write(`${'x'.repeat(8_000_000)}\n`.repeat(3));
  if (piece === undefined) send(id, results[attack] ?? { content: [{ type: 'text', text: 'Fine.' }] });
  else flood(piece);
});
