import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteConfig } from '@hono/zod-openapi';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import * as z from 'zod';
import { routes } from '../src/http/routes.ts';
import { server } from '../src/server.ts';
import { message, requestFor } from './support/running-server.ts';
import { testKey } from './support/requests.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Value of a secret of an open conversation. It is a valid name, so that it gets as far as possible. */
const canary = 'canary0123456789abcdef';
const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: `The secret is ${canary}.` } }] };

/**
 * Operations that return what their client sends or stores by design: names that it chooses, which are no secrets, and
 * the bytes of files. A new one must be added here, with the reason.
 */
const exempt: Readonly<Record<string, string>> = {
  'put /api/settings/secrets': 'It returns the name and the description that the client chose.',
  'get /api/settings/secrets/{name}': 'It returns the value of a stored secret to those who have the key.',
  'delete /api/profiles/{name}': 'It returns the name of a profile.',
  'delete /api/agent-profiles/{name}': 'It returns the name of a profile.',
};

/** Operations after which the conversation is not open any more, or whose response does not end. */
const left = new Set([
  'delete /api/conversations/{conversation_id}',
  'post /api/conversations/prepare-for-sandbox-pause',
  'get /api/conversations/{conversation_id}/events/stream',
]);

const lines: string[] = [];
const resources = new AsyncDisposableStack();
let serving: ReturnType<typeof server>;
let conversation = '';
let project = '';

beforeAll(async () => {
  const directory = resources.use(await temporaryDirectory());
  const model = resources.use(await scriptedServer([finish, finish, { text: `It is ${canary}.` }]));
  const log = { level: 'debug', stream: { write: (line: string) => lines.push(line) } } as const;
  const env = { PATH: process.env['PATH'], HOME: directory.at('user'), GIT_CONFIG_GLOBAL: '/dev/null' };
  serving = server({
    store: memoryStore(),
    keys: [testKey],
    home: directory.at('home'),
    env,
    log,
    workspaceRoot: directory.path,
  });
  resources.defer(() => serving[Symbol.asyncDispose]());
  project = directory.at('project');
  const secrets = { TOKEN: { kind: 'StaticSecret', value: canary } };
  const created = await send('POST', '/api/conversations', {
    ...requestFor(model, project),
    secrets,
    initial_message: message(`Use ${canary}.`),
  });
  conversation = (JSON.parse(created.split('\n')[0] ?? '') as { readonly id: string }).id;
});
afterAll(() => resources.disposeAsync());

/** Returns the whole response, its headers included. */
async function send(method: string, path: string, body?: unknown): Promise<string> {
  const response = await serving.request(path, {
    method,
    headers: { 'X-Session-API-Key': testKey, 'content-type': 'application/json' },
    ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
  });
  const headers = [...response.headers].map((header) => header.join(': '));
  return [await response.text(), ...headers].join('\n').trim();
}

/** Returns the names of the fields of a schema. */
function fieldsOf(schema: unknown): readonly string[] {
  if (!(schema instanceof z.ZodType)) return [];
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(json.properties ?? {});
}

function bodyFields({ request }: RouteConfig): readonly string[] {
  const content: unknown = request?.body?.content['application/json'];
  return typeof content === 'object' && content !== null && 'schema' in content ? fieldsOf(content.schema) : [];
}

/** Returns the paths and bodies of requests that contain the secret wherever text may be. */
function requestsOf(config: RouteConfig): readonly (readonly [path: string, body: unknown])[] {
  const place = config.path.replace('{conversation_id}', conversation).replaceAll(/\{\w+\}/g, canary);
  const names = fieldsOf(config.request?.query);
  const query = (value: string): string =>
    new URLSearchParams(Object.fromEntries(names.map((name) => [name, value]))).toString();
  const nested = Object.fromEntries(bodyFields(config).map((name) => [name, { [canary]: [canary] }]));
  return [
    [`${place}?${query(canary)}`, Object.fromEntries(bodyFields(config).map((name) => [name, canary]))],
    [`${place}?${query(join(project, canary))}`, nested],
    [place, [canary]],
    [place, canary],
  ];
}

const bodies = routes.map(({ method, path, config }) => [`${method} ${path}`, config()] as const);

test.for(bodies.filter(([name]) => !left.has(name) && !(name in exempt)))(
  '%s never answers with the secret of a conversation',
  async ([, config]) => {
    for (const [path, body] of requestsOf(config))
      expect(await send(config.method.toUpperCase(), path, body), path).not.toContain(canary);
  },
);

test('commands, files in git, messages, titles and answers do not contain the secret', async () => {
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-C', project, ...args], { env: { PATH: process.env['PATH'] } });
  const as = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  writeFileSync(join(project, `${canary}.txt`), canary);
  git('add', '.');
  git(...as, 'commit', '-q', '-m', `Add ${canary}`);
  writeFileSync(join(project, `${canary}.txt`), `${canary}${canary}`);
  const at = `/api/conversations/${conversation}`;
  const base64 = Buffer.from(canary).toString('base64');
  const answers = [
    await send('POST', '/api/bash/execute_bash_command', {
      command: `printf canary0123; printf 456789abcdef; echo ${base64}`,
      cwd: project,
    }),
    await send('POST', '/api/bash/execute_bash_command', { command: 'cat *.txt >&2', cwd: project }),
    await send('POST', '/api/bash/execute_bash_command', { command: 'true', cwd: `/${canary}` }),
    await send('GET', '/api/bash/bash_events/search'),
    await send('GET', `/api/git/changes?path=${project}`),
    await send('GET', `/api/git/diff?path=${project}/${canary}.txt`),
    await send('GET', `/api/git/commits?path=${project}`),
    await send('PATCH', at, { title: `About ${canary}`, tags: { note: canary } }),
    await send('POST', `${at}/events`, message(`More ${canary}.`)),
    await send('POST', `${at}/fork`, { title: `Fork of ${canary}` }),
    await send('POST', `${at}/ask_agent`, { question: `What is ${canary}?` }),
    await send('GET', at),
    await send('GET', `${at}/agent_final_response`),
    await send('GET', `${at}/events/search`),
    await send('GET', '/api/conversations/search'),
  ];
  for (const text of answers) for (const form of [canary, base64]) expect(text).not.toContain(form);
  expect(answers.filter((text) => text.includes('<secret-hidden>')).length).toBeGreaterThan(8);
});

test('the log does not contain the secret', async () => {
  expect(lines.length).toBeGreaterThan(bodies.length);
  expect(lines.join('\n')).not.toContain(canary);
});

test('operations that are left out exist', () => {
  const names = new Set<string>(bodies.map(([name]) => name));
  for (const [name, reason] of Object.entries(exempt))
    expect([names.has(name), reason.length > 10]).toEqual([true, true]);
  for (const name of left) expect(names.has(name)).toBe(true);
});
