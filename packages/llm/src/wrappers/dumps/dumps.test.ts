import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openaiChat } from '../../chat/openai-chat.ts';
import { userRequest, languageModelContract, scriptedModel, scriptedServer } from '../../testing/index.ts';
import { dumpCalls } from './dump-calls.ts';
import { dumpingFetch } from './dumping-fetch.ts';
import { dumpFolder } from './dump-folder.ts';
import { requestDigest } from '../request-digest.ts';
import { dumpsFrom } from './dumps-from.ts';
import type { OpenModel } from '../../testing/contract/model-check.ts';

function folderPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'varve-dumps-')), 'deep', 'logs');
}

interface Dump {
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
}

function dumpsIn(path: string): readonly Dump[] {
  const names = readdirSync(path).toSorted();
  return names.map((name) => ({
    name,
    content: JSON.parse(readFileSync(join(path, name), 'utf8')) as Dump['content'],
  }));
}

const contractFolder = dumpFolder({ path: folderPath() });

const dumping: OpenModel = async (steps) => {
  const server = await scriptedServer(steps);
  const fetch = dumpingFetch(contractFolder, { requests: true, responses: true });
  const chat = openaiChat({ model: 'scripted', baseUrl: server.url, fetch });
  const model = dumpCalls(contractFolder, { snapshots: true })(chat);
  return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

describe('a model that dumps everything', () => {
  test.for(languageModelContract)('$title', (check) => check.run(dumping));
});

test('each call is a file with its request and its reply or failure', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path, now: () => 1_700_000_000_123 });
  const script = [{ text: 'Hello.' }, { error: { code: 'rate-limited', retryAfterMs: 5 } }] as const;
  const model = dumpCalls(folder)(scriptedModel(script, { name: 'maker/model:free' }));
  await model.generate(userRequest('Hi'));
  await model.generate(userRequest('Again')).catch(() => undefined);
  await folder.flush();
  const [call, error] = dumpsIn(path).toSorted((a, b) => Number(/error/.test(a.name)) - Number(/error/.test(b.name)));
  expect(call?.name).toMatch(/^maker__model_free-1700000000\.123-[0-9a-f]{4}-call\.json$/);
  expect(call?.content).toMatchObject({
    version: 1,
    at: '2023-11-14T22:13:20.123Z',
    model: 'maker/model:free',
    request: { messages: [{ role: 'user' }], tools: [], parameters: {} },
    reply: { finish: 'stop' },
  });
  expect(error?.content).toMatchObject({ error: { code: 'rate-limited', retryAfterMs: 5 } });
  expect(statSync(join(path, call?.name ?? '')).mode & 0o777).toBe(0o600);
});

test('requests and responses are dumped unchanged, without headers', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path });
  await using server = await scriptedServer([
    { text: 'Hello.' },
    { text: 'Long.', fault: { kind: 'reset', afterPieces: 1 } },
  ]);
  const fetch = dumpingFetch(folder, { requests: true, responses: true });
  const model = openaiChat({ model: 'm', baseUrl: server.url, apiKey: 'my-own-key', fetch, stream: true });
  await model.generate(userRequest('Hi'));
  await model.generate(userRequest('Hi')).catch(() => undefined);
  await folder.flush();
  const dumps = dumpsIn(path);
  expect(dumps.map(({ name }) => name.replace(/^m-.*-/, '')).toSorted()).toEqual([
    'request.json',
    'request.json',
    'response.json',
    'response.json',
  ]);
  const all = JSON.stringify(dumps);
  expect(all).not.toContain('my-own-key');
  expect(all).toContain('[DONE]');
  expect(dumps.find(({ name }) => name.includes('request'))?.content['body']).toEqual(
    JSON.parse(server.requests[0]?.text ?? ''),
  );
});

test('a dumped request equals the request without dumps', async () => {
  await using server = await scriptedServer([{ text: 'Hello.' }, { text: 'Hello.' }]);
  const fetch = dumpingFetch(dumpFolder({ path: folderPath() }), { requests: true, responses: true });
  const at = { model: 'm', baseUrl: server.url, headers: { 'x-mine': 'yes' } };
  await openaiChat(at).generate(userRequest('Hi'));
  await openaiChat({ ...at, fetch }).generate(userRequest('Hi'));
  const [plain, dumped] = server.requests.map(({ headers, text }) => ({ headers, text }));
  expect(plain?.headers['x-mine']).toBe('yes');
  expect(dumped).toEqual(plain);
});

test('a request with another kind of body uses the global fetch', async () => {
  await using server = await scriptedServer([]);
  const fetch = dumpingFetch(dumpFolder({ path: folderPath() }), { responses: true });
  const answer = await fetch(`${server.url}/models`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { object: 'list' }]);
});

test('dumps contain no secrets, images or encrypted data', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path, secrets: ['hunter2-hunter2'] });
  const bytes = 'A'.repeat(5000);
  folder.dump('call', 'm', {
    text: `key sk-abcdef123456, hunter2-hunter2`,
    image: { url: `see data:image/png;base64,${bytes}` },
    item: { encrypted_content: bytes, signature: bytes },
    'hunter2-hunter2': true,
  });
  await folder.flush();
  const json = JSON.stringify(dumpsIn(path));
  expect(json).not.toMatch(/hunter2|abcdef123456|AAAA/);
  expect(json).toMatch(/\[data:image\/png, 5000 characters, sha256 [0-9a-f]{16}\]/);
  expect(json).toMatch(/\[sealed, 5000 characters/);
});

test('a folder that cannot be written is reported once and affects no call', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'varve-dumps-')), 'file');
  writeFileSync(file, '');
  const problems: string[] = [];
  const folder = dumpFolder({ path: join(file, 'logs'), onProblem: (problem) => problems.push(problem) });
  const model = dumpCalls(folder)(scriptedModel([{ text: 'One.' }, { text: 'Two.' }]));
  await model.generate(userRequest('Hi'));
  expect((await model.generate(userRequest('Hi'))).finish).toBe('stop');
  await folder.flush();
  expect(problems).toEqual([expect.stringContaining(`The dump could not be written to ${file}`)]);
});

test('at most the limit of files is kept, the newest ones', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path, maxFiles: 2 });
  for (const name of ['a', 'b', 'c', 'd']) folder.dumpOnce(name, {});
  await folder.flush();
  expect(dumpsIn(path).map(({ name }) => name)).toEqual(['c.json', 'd.json']);
});

test('a context has the messages, tools and parameters of its request, and its digest', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path });
  const request = {
    ...userRequest('Hi'),
    tools: [{ name: 'note', description: 'Takes a note.', parameters: { type: 'object' as const, properties: {} } }],
    parameters: { temperature: 0.5 },
  };
  await dumpCalls(folder, { snapshots: true, calls: false })(scriptedModel([{ text: 'x' }])).generate(request);
  await folder.flush();
  const { messages, tools, parameters } = request;
  expect(dumpsIn(path).map(({ content }) => content)).toMatchObject([
    { messages, tools, parameters, digest: requestDigest(request) },
  ]);
});

test('the same context is dumped once', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path });
  const model = dumpCalls(folder, { calls: false, snapshots: true })(
    scriptedModel(Array.from({ length: 3 }, () => ({ text: 'x' }))),
  );
  for (const question of ['Hi', 'Hi', 'Ho']) await model.generate(userRequest(question));
  await folder.flush();
  expect(dumpsIn(path).map(({ name }) => name)).toEqual([
    expect.stringMatching(/^snapshot-[0-9a-f]{32}\.json$/),
    expect.stringMatching(/^snapshot-[0-9a-f]{32}\.json$/),
  ]);
});

describe('an environment', () => {
  test('without variables dumps nothing', () => {
    expect(dumpsFrom({})).toBe(undefined);
    expect(dumpsFrom({ OPENHANDS_DUMP_REQUEST: '0', LLM_LOG_COMPLETIONS: 'false' })).toBe(undefined);
  });

  test.for([
    [{ LLM_LOG_COMPLETIONS: 'true' }, ['call']],
    [{ OPENHANDS_DUMP_REQUEST: '1' }, ['request', 'snapshot']],
    [{ OPENHANDS_CAPTURE_RAW_RESPONSE: '1' }, ['response']],
    [
      { LLM_LOG_COMPLETIONS: '1', OPENHANDS_DUMP_REQUEST: '1', OPENHANDS_CAPTURE_RAW_RESPONSE: '1' },
      ['call', 'request', 'response', 'snapshot'],
    ],
  ] as const)('%o dumps %o', async ([env, kinds]) => {
    const path = folderPath();
    await using server = await scriptedServer([{ text: 'Hello.' }]);
    const dumps = dumpsFrom(env, { path });
    const model = openaiChat({ model: 'm', baseUrl: server.url, ...(dumps && { fetch: dumps.fetch }) });
    await dumps?.wrap(model).generate(userRequest('Hi'));
    await dumps?.flush();
    const dumpKinds = dumpsIn(path).map(({ name }) => /call|request|response|snapshot/.exec(name)?.[0]);
    expect(new Set(dumpKinds)).toEqual(new Set(kinds));
    expect(dumpKinds).toHaveLength(kinds.length);
  });

  test('names the folders, and whether reasoning is dumped', async () => {
    const [calls, wire] = [folderPath(), folderPath()];
    const env = {
      LLM_LOG_COMPLETIONS: '1',
      LLM_LOG_COMPLETIONS_FOLDER: calls,
      OPENHANDS_DUMP_REQUEST: '1',
      OPENHANDS_DUMP_REQUEST_DIR: wire,
      OPENHANDS_PRESERVE_REASONING_FIELD: 'false',
    };
    const dumps = dumpsFrom(env);
    await dumps?.wrap(scriptedModel([{ text: 'Hello.', reasoning: 'thought' }])).generate(userRequest('Hi'));
    await dumps?.flush();
    expect(dumpsIn(wire)).toHaveLength(1);
    expect(JSON.stringify(dumpsIn(calls))).toContain('Hello.');
    expect(JSON.stringify(dumpsIn(calls))).not.toContain('thought');
  });
});

test('responses are dumped without encrypted data, wherever the text is cut', async () => {
  const path = folderPath();
  const folder = dumpFolder({ path });
  const seal = 'gAAAAABsealed+/=';
  const item = { type: 'reasoning', encrypted_content: seal, summary: [] };
  const bodies = [
    JSON.stringify({ output: [item], nested: JSON.stringify(item) }),
    `data: ${JSON.stringify({ type: 'response.output_item.done', item })}\n\n`,
    `data: ${JSON.stringify({ item }).slice(0, -30)}`,
    JSON.stringify({ thinking_blocks: [{ type: 'redacted_thinking', data: `${seal}${seal}` }] }),
    JSON.stringify({ reasoning_details: [{ type: 'reasoning.encrypted', data: `${seal}${seal}` }] }, null, 2),
    JSON.stringify({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: seal }] }),
  ];
  let at = 0;
  const fetch = dumpingFetch(folder, {
    requests: true,
    responses: true,
    fetch: async () => new Response(bodies[at++]),
  });
  for (const body of bodies) await (await fetch('http://x.test', { method: 'POST', body })).text();
  await folder.flush();
  const texts = readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'));
  expect(texts).toHaveLength(12);
  expect(texts.filter((each) => each.includes('sealed+'))).toEqual([]);
  expect(texts.filter((each) => /\[sealed, \d+ characters/.test(each)).length).toBeGreaterThanOrEqual(11);
});
