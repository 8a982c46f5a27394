import { redactor } from '@varve/text';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer, stdioServer } from '../../test/support/sdk-servers.ts';
import { connectMcp } from './connect-mcp.ts';
import type { McpServer } from './mcp-server.ts';
import type { AskForServer, ServerQuestion } from './ask-for-server.ts';

const noSecrets = redactor([], { replacement: '***' });
const waits: AskForServer = async (_, signal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('cancel'));
  });

async function connected(server: McpServer, askForServer?: AskForServer) {
  const options = { env: process.env, redactor: noSecrets, ...(askForServer && { askForServer }) };
  const connection = await connectMcp('docs', server, options);
  onTestFinished(() => connection.close());
  return async (params: unknown, signal = new AbortController().signal): Promise<unknown> => {
    const { content } = await connection.call('ask', { params: JSON.stringify(params) }, signal);
    return JSON.parse(content[0]?.type === 'text' ? content[0].text : '{}');
  };
}

const form = {
  message: 'Which one?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Yours.', minLength: 2 },
      mail: { type: 'string', format: 'email' },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      share: { type: 'number' },
      sure: { type: 'boolean' },
      colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
    },
    required: ['name', 'sure'],
  },
};

test.for([
  ['stdio', stdioServer],
  ['http', httpServer],
] as const)('a form of a server over %s is answered with checked values', async ([, serverOf]) => {
  const asked: ServerQuestion[] = [];
  const ask = await connected(await serverOf(), async (question) => {
    asked.push(question);
    const typed = ['Ada', '', '', '0.5', 'yes', 'r', 'b, a'];
    const values = question.fields.map((field, at) => [field.name, field.read(typed[at] ?? '')] as const);
    return Object.fromEntries(
      values.flatMap(([name, read]) => ('value' in read && read.value !== undefined ? [[name, read.value]] : [])),
    );
  });
  expect(await ask(form)).toEqual({
    action: 'accept',
    content: { name: 'Ada', count: 3, share: 0.5, sure: true, colour: 'r', tags: ['b', 'a'] },
  });
  expect(asked[0]).toMatchObject({ server: 'docs', message: 'Which one?' });
});

test('each field describes itself, and refuses what is not its value', async () => {
  let fields: ServerQuestion['fields'] = [];
  const ask = await connected(stdioServer(), async (question) => {
    ({ fields } = question);
    return 'decline';
  });
  expect(await ask(form)).toEqual({ action: 'decline' });
  expect(fields.map(({ title, isRequired, choices, isList }) => [title, isRequired, choices, isList])).toEqual([
    ['Name', true, undefined, false],
    ['mail', false, undefined, false],
    ['count', false, undefined, false],
    ['share', false, undefined, false],
    ['sure', true, { yes: 'yes', no: 'no' }, false],
    ['colour', false, { r: 'Red' }, false],
    ['tags', false, { a: 'a', b: 'b' }, true],
  ]);
  const wrong = ['', 'at home', '10', 'half', 'maybe', 'Red', 'a, c'];
  expect(fields.filter((field, at) => 'value' in field.read(wrong[at] ?? ''))).toEqual([]);
});

test('an address is shown, and only one of the web', async () => {
  const asked: string[] = [];
  const ask = await connected(stdioServer(), async ({ url }) => {
    asked.push(url?.href ?? '');
    return {};
  });
  const params = { mode: 'url', message: 'Log in.', elicitationId: '1', url: 'https://example.org/in?a=1' };
  expect(await ask(params)).toEqual({ action: 'accept' });
  expect(await ask({ ...params, url: 'file:///etc/passwd' })).toMatchObject({
    error: expect.stringContaining('file:'),
  });
  expect(asked).toEqual(['https://example.org/in?a=1']);
});

test('a question that is too large is refused, and a client without a person is not asked', async () => {
  const ask = await connected(stdioServer(), async () => 'decline');
  expect(await ask({ ...form, message: 'x'.repeat(30_000) })).toMatchObject({
    error: expect.stringContaining('20000'),
  });
  const many = Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: 'boolean' }]);
  const requestedSchema = { ...form.requestedSchema, properties: Object.fromEntries(many), required: [] };
  expect(await ask({ ...form, requestedSchema })).toMatchObject({ error: expect.stringContaining('20 fields') });
  const alone = await connected(stdioServer());
  expect(await alone(form)).toMatchObject({ error: expect.stringContaining('does not support') });
});

test('a question ends with the call that is cancelled', async () => {
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cancel = new AbortController();
  const ask = await connected(stdioServer(), async (question, signal) => {
    asked.resolve();
    const answer = await waits(question, signal);
    ended.resolve();
    return answer;
  });
  const calling = ask(form, cancel.signal);
  await asked.promise;
  cancel.abort(new Error('stopped'));
  await expect(calling).rejects.toThrow('stopped');
  await ended.promise;
});
