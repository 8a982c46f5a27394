// A server of the model context protocol on its standard streams. Its first argument, if any, is a child to start,
// `no-tools`, or `bad-tools`.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const text = { type: 'object', properties: { text: { type: 'string', description: 'A text.' } }, required: ['text'] };
const none = { type: 'object' };
const tools = [
  { name: 'echo', description: 'Returns a text.', inputSchema: text, annotations: { readOnlyHint: true } },
  { name: 'fail', description: 'Fails.', inputSchema: none },
  { name: 'flood', inputSchema: none },
  { name: 'getenv', description: 'Returns a variable.', inputSchema: text },
  { name: 'die', description: 'Ends the server.', inputSchema: none },
  { name: 'hang', description: 'Never answers.', inputSchema: none },
  { name: 'processes', description: 'Returns the ids of its processes.', inputSchema: none },
  { name: 'image', description: 'Returns an image.', inputSchema: none },
  { name: 'checked', description: 'Has a result with a schema.', inputSchema: none, outputSchema: resultSchema() },
];

const large = {
  name: 'large',
  description: 'Has a large schema.',
  inputSchema: { ...none, title: 'x'.repeat(40_000) },
};

/** Tools of which no client can use some, on two pages. */
const badTools: Readonly<Record<string, unknown>> = {
  first: {
    tools: [
      { name: 'list', inputSchema: { type: 'array', items: {} } },
      { description: 'Has no name.', inputSchema: none },
      { name: 'bare', description: 7 },
    ],
    nextCursor: 'second',
  },
  second: { tools: ['text', { name: 'echo', inputSchema: { properties: text.properties } }, large, { name: 'echo' }] },
};

/** Schema with a format that no library knows, and a pattern that takes exponential time. */
function resultSchema(): unknown {
  const format = '\u001B]52;c;cm0=\u0007';
  return { type: 'object', properties: { a: { type: 'string', format }, b: { type: 'string', pattern: '^(a+)+$' } } };
}

const [child] = process.argv.slice(2);
const started =
  child === undefined || child.endsWith('-tools') ? undefined : spawn('sleep', [child], { stdio: 'ignore' });
const results: Readonly<Record<string, (text: string) => unknown>> = {
  echo: (value) => ({ content: [{ type: 'text', text: value }] }),
  fail: () => ({ content: [{ type: 'text', text: 'No such thing.' }], isError: true }),
  flood: () => ({ content: [{ type: 'text', text: `start${'x'.repeat(200_000)}end` }] }),
  getenv: (name) => ({ content: [{ type: 'text', text: String(process.env[name]) }] }),
  processes: () => ({ content: [{ type: 'text', text: JSON.stringify([process.pid, started?.pid]) }] }),
  checked: () => ({
    content: [{ type: 'text', text: 'Fine.' }],
    structuredContent: { a: 'a', b: `${'a'.repeat(60)}!` },
  }),
  image: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
};

console.error(`Started ${started?.pid ?? 'nothing'}.`);
console.log('A line that is no message.');

createInterface({ input: process.stdin }).on('line', (line) => {
  const {
    id,
    method,
    params = {},
  } = JSON.parse(line) as {
    id?: number;
    method: string;
    params?: { cursor?: string; name?: string; arguments?: { text?: string } };
  };
  const answer = (result: unknown): void => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    const serverInfo = { name: 'test', version: '1' };
    answer({ protocolVersion: '2025-06-18', capabilities: child === 'no-tools' ? {} : { tools: {} }, serverInfo });
  } else if (method === 'tools/list') answer(child === 'bad-tools' ? badTools[params.cursor ?? 'first'] : { tools });
  else if (method === 'tools/call') {
    if (params.name === 'die') process.exit(1);
    const result = results[params.name ?? '']?.(params.arguments?.text ?? '');
    if (result !== undefined) answer(result);
  }
});
