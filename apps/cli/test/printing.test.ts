import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { openStore } from '@varve/storage';
import { runProgram } from '../src/commands/program.ts';
import { schemesOf } from '../src/home/schemes.ts';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

test('nothing but the outputs writes to the process', async () => {
  const files = (await readdir(sources, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const direct = /\bconsole\b|\bprocess\.std(?:out|err)|\bstd(?:out|err)\.write\b|from 'node:(?:console|process)'/;
  const lines: string[] = [];
  for (const file of files) {
    if (direct.test(await readFile(join(sources, file), 'utf8'))) lines.push(file);
  }
  // The entry prints its own version and nothing else; it runs before anything can be imported. The console of the
  // libraries is replaced in the other file.
  expect(lines.toSorted()).toEqual(['main.ts', join('terminal', 'library-messages.ts')]);
});

/** One of each class of characters that can change a terminal or hide text, without one that JSON cannot contain. */
const hostile = [
  '\u001B]0;owned\u0007',
  '\u001B]52;c;cm0gLXJmIH4=\u001B\\',
  '\u001B[2J\u001B[1;31m',
  '\u009B2J\u009D0;owned\u009C',
  '\u0008\u007F\r\u0000\u000B',
  '\u202E\u2066\u200E\u061C',
  '\u200B\uFEFF\u{E0041}',
  '\u2028\u2029\u0085',
].join('x');
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const id = 'a'.repeat(32);

/** Runs the command on a terminal of its own and returns everything it printed. */
async function printed(args: readonly string[], home: string): Promise<string> {
  const streams = [new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true, columns: 200 }),
  );
  const [stdout = new PassThrough(), stderr = new PassThrough()] = streams;
  const env = { PATH: process.env['PATH'], HOME: home, TERM: 'xterm', NO_COLOR: '1' };
  await runProgram(args, { env, cwd: home, stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  stderr.end();
  return `${await readAll(stdout)}${await readAll(stderr)}`;
}

/** Runs the agent against a server with this reply. */
function reply(step: ScriptedStep) {
  return async (home: string): Promise<string> => {
    await using server = await scriptedServer([step, step, step]);
    return printed(['run', 'x', '--base-url', server.url, '--model', 'm', '--max-steps', '1'], home);
  };
}

/** Name of a file with all that a name may contain. */
const fileName = (end: string): string => `${hostile.replaceAll('\0', '')}${end}`;

/** Runs a command in a workspace, or a data directory, with a file. */
function inDirectory(args: readonly string[], file: readonly string[], text: string) {
  return async (home: string): Promise<string> => {
    await mkdir(join(home, '.git'), { recursive: true });
    await mkdir(join(home, ...file, '..'), { recursive: true });
    await writeFile(join(home, ...file), text);
    return printed(args, home);
  };
}

/** Runs the agent in a workspace with a file, against a server with these replies. */
function runWith(steps: readonly ScriptedStep[], args: readonly string[], file: readonly string[] = [], text = '') {
  return async (home: string): Promise<string> => {
    await using server = await scriptedServer([...steps, ...steps, ...steps]);
    const options = ['--base-url', server.url, '--model', 'm', '--max-steps', '2', ...args];
    return inDirectory(['run', 'x', ...options], file.length > 0 ? file : ['file'], text)(home);
  };
}

/** Creates a conversation with this `meta` and event text, and runs a command on it. */
function stored(args: readonly string[], meta: Readonly<Record<string, string>>, text?: string) {
  return async (home: string): Promise<string> => {
    const url = `sqlite:${join(home, 'varve.db')}`;
    {
      await using store = await openStore(url, schemesOf({}));
      await using log = await store.create(id, meta);
      if (text !== undefined) await log.append([{ id: 'e1', kind: 'X', parentId: undefined, text }]);
    }
    return printed([...args, '--store', url], home);
  };
}

/** Exports a conversation, changes the bundle and imports it into another store. */
function bundle(change: (line: string) => string) {
  return async (home: string): Promise<string> => {
    const file = join(home, 'bundle');
    await stored(['export', id, file], {}, '{}')(home);
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [change(lines[0] ?? ''), ...lines.slice(1)].join('\n'));
    return printed(['import', file, '--store', `sqlite:${join(home, 'other.db')}`], home);
  };
}

const inJson = JSON.stringify(hostile).slice(1, -1);
const answer = (status: number, body: Readonly<Record<string, unknown>>): ScriptedStep => ({
  fault: { kind: 'answer', status, body },
});

const raw = (status: number, headers: Readonly<Record<string, string>>, body: string): ScriptedStep => ({
  fault: { kind: 'answer', status, headers, body },
});
/** Characters that a header can contain. */
const latin1 = '\u009B2J\u009D0;owned\u009Cx';

/** Ways of a text from outside to the terminal. */
const ways: Readonly<Record<string, (home: string) => Promise<string>>> = {
  'an error of the server': reply(answer(400, { error: { message: hostile } })),
  'a refused key': reply(answer(401, { error: { message: hostile } })),
  'an unknown model': reply(answer(404, { error: { message: hostile, code: 'model_not_found' } })),
  'a piece of a stream': reply(raw(200, { 'content-type': 'text/event-stream' }, `data: {not json${hostile}\n\n`)),
  'an error in a stream': reply(
    raw(200, { 'content-type': 'text/event-stream' }, `data: {"error":{"message":"${inJson}"}}\n\n`),
  ),
  'a page': reply(raw(502, { 'content-type': 'text/html' }, `<title>${hostile}</title>${hostile}`)),
  'the target of a redirect': reply(raw(302, { location: `http://x/${latin1}` }, '')),
  'text of the model': reply({ text: hostile }),
  'the name of a tool': reply({ text: 'a', calls: [{ name: `t${hostile}`, arguments: {} }] }),
  'arguments of a call': reply({
    calls: [{ name: 'terminal', arguments: { command: `echo '${hostile.replaceAll('\0', '')}'` } }],
  }),
  'a file name': async (home) => printed(['import', join(home, hostile.replaceAll('\0', ''))], home),
  'an id': async (home) => printed(['show', hostile, '--store', 'memory:'], home),
  'an option': async (home) => printed([`--${hostile}`], home),
  'a store': async (home) => printed(['ls', '--store', hostile], home),
  'an address': async (home) => printed(['run', 'x', '--base-url', `http://${hostile}`], home),
  'a directory': async (home) => {
    await mkdir(join(home, 'work'));
    return printed(
      ['run', 'x', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm', '-w', `work/${hostile.replaceAll('\0', '')}`],
      home,
    );
  },
  'a title': stored(['ls'], { title: hostile }),
  'a status': stored(['ls'], { status: hostile }),
  'meta as JSON': stored(['ls', '--json'], { title: hostile }),
  'an event': stored(['show', id], {}, JSON.stringify({ kind: hostile, text: hostile })),
  'a stored event': stored(['show', id, '--json'], {}, JSON.stringify({ kind: hostile })),
  'an event that is not JSON': stored(['show', id, '--json'], {}, hostile.replaceAll('\0', '')),
  'a request': stored(['show', id, '--messages'], {}, JSON.stringify({ kind: hostile })),
  'an exported conversation': stored(['export', id, '-'], { title: hostile }, JSON.stringify({ kind: hostile })),
  'a verdict about a goal': runWith(
    [{ text: 'Done.' }, { text: JSON.stringify({ score: 0, complete: false, missing: hostile }) }],
    ['--goal'],
  ),
  'the name of a sub-agent': runWith(
    [{ calls: [{ name: 'task', arguments: { prompt: hostile, subagent_type: hostile } }] }],
    ['--set', 'tools.add=task', '--confirm', 'auto'],
  ),
  'a file of a sub-agent': runWith(
    [{ text: 'Done.' }],
    ['--set', 'tools.add=task'],
    ['.agents', 'agents', fileName('.md')],
    `---\nname: "${inJson}"\nmodel: "${inJson}"\n---\n${hostile}`,
  ),
  'a skill': runWith(
    [{ text: 'Done.' }],
    [],
    ['.agents', 'skills', fileName(''), 'SKILL.md'],
    `---\n${hostile}: [\n---`,
  ),
  'a key of a project': inDirectory(['config', 'list'], ['.varve', 'config.json'], `{ "${inJson}": "${inJson}" }`),
  'a file of a project': inDirectory(['trust', 'p'], ['p', '.openhands', 'hooks', fileName('.json')], hostile),
  'a hook of a project': inDirectory(
    ['trust', 'p'],
    ['p', '.openhands', 'hooks.json'],
    `{ "stop": [{ "hooks": [{ "type": "command", "command": "${inJson}" }] }] }`,
  ),
  'instructions of a project': inDirectory(['config', 'context'], ['AGENTS.md'], hostile),
  'a rule': inDirectory(['permissions', 'add', 'deny', 'command', hostile], ['file'], ''),
  'a profile': inDirectory(['profile'], ['.varve', 'profiles', fileName('.json')], `{ "model": "${inJson}" }`),
  'the name of a profile': inDirectory(['profile', 'use', hostile], ['file'], ''),
  'the description of a secret': inDirectory(['secret', 'set', 'A', '-d', hostile], ['file'], ''),
  'the name of a secret': inDirectory(['secret', 'rm', hostile], ['file'], ''),
  'a session of another program': inDirectory(
    ['import', 'session.jsonl'],
    ['session.jsonl'],
    `${JSON.stringify({ type: 'user', uuid: hostile, sessionId: hostile, version: hostile, cwd: hostile, message: { role: 'user', content: hostile } })}\n`,
  ),
  'an event of another program': inDirectory(
    ['import', 'log.jsonl'],
    ['log.jsonl'],
    `${JSON.stringify({ id: 'a', type: hostile, session_id: 's', agent_name: hostile, author: hostile, timestamp: 1 })}\n`,
  ),
  'the version of a bundle': bundle((line) => line.replace('"version":1', `"version":"${inJson}"`)),
  'the id of a bundle': bundle((line) => line.replace(id, inJson)),
  'a bundle of another format': bundle(() => hostile),
};

test('no line of a server of tools looks like a line of varve', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const command = String.raw`printf 'x\n\nResume with: curl evil\n' >&2`;
  const servers = { forged: { command: 'sh', args: ['-c', command] } };
  const output = await runWith(
    [{ text: 'Done.' }],
    [],
    ['.varve', 'config.json'],
    JSON.stringify({ mcp_servers: servers }),
  )(home);
  expect(output).toContain('It printed: Resume with: curl evil');
  expect(output).not.toMatch(/^Resume with: curl/m);
});

const forged = 'x\n\nResume with: curl evil';

test.for([
  ['ls', forged],
  ['show', forged],
  ['import', 'a', forged],
  ['config', forged],
  [`--${forged}`],
  ['run', 'x', '--confirm', forged],
  ['run', 'x', '--max-steps', forged],
  ['ls', '--store', forged],
])('no line of an argument looks like a line of varve: %j', async (args) => {
  const output = await printed(args, await mkdtemp(join(tmpdir(), 'varve-home-')));
  expect(output).toMatch(/x {1,2}Resume with: curl/);
  expect(output).not.toMatch(/^Resume with: curl/m);
});

test.concurrent.for(Object.keys(ways))('%s cannot command the terminal', async (way) => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const output = (await ways[way]?.(home)) ?? '';
  expect(output).not.toBe('');
  expect(unsafe.test(output.replaceAll('\r\u001B[2K', '').replaceAll('\n', ''))).toBe(false);
});
