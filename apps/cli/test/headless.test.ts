import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { runProgram } from '../src/commands/program.ts';
import { newHome, runVarve } from './run-varve.ts';

const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });
const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });
const answer = (passed: number): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message: '', passed } }] });
const runAt = (url: string, ...args: readonly string[]): readonly string[] => [
  'run',
  '--base-url',
  url,
  '--model',
  'm',
  '--sandbox',
  'off',
  ...args,
];

const schema = {
  type: 'object',
  properties: { passed: { type: 'integer' }, failed: { type: 'array', items: { type: 'string' } } },
  required: ['passed'],
};

async function homeWithSchema(): Promise<string> {
  const home = await newHome();
  await writeFile(join(home, 'schema.json'), JSON.stringify(schema));
  return home;
}

test('with --output-schema the answer is alone on stdout, after the model corrected it', async () => {
  const home = await homeWithSchema();
  await using server = await scriptedServer([
    { text: 'Three passed, I think.' },
    { calls: [{ name: 'finish', arguments: { message: 'Done.', passed: 'three' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.', passed: 3, failed: ['a'] } }] },
  ]);
  const run = await runVarve(runAt(server.url, '--output-schema', 'schema.json', 'Count.'), { home });
  expect([run.code, run.stdout]).toEqual([0, '{"passed":3,"failed":["a"]}\n']);
  expect(server.requests[2]?.text).toContain('passed');
  server.assertDone();
});

test('an answer that never has the form of the schema ends as unfinished, with nothing on stdout', async () => {
  const home = await homeWithSchema();
  const wrong: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.', passed: 'three' } }] };
  await using server = await scriptedServer(Array.from({ length: 20 }, () => wrong));
  const run = await runVarve(runAt(server.url, '--output-schema', 'schema.json', 'Count.'), { home });
  expect([run.code, run.stdout]).toEqual([6, '']);
  expect(server.requests.length).toBeLessThan(20);
});

test('a resumed conversation answers in the form that it was started with', async () => {
  const home = await homeWithSchema();
  await using server = await scriptedServer([answer(1), answer(2)]);
  const options = ['--output-schema', 'schema.json', '--set', 'tools.options={"terminal":{}}'];
  const first = await runVarve(runAt(server.url, ...options, 'Count.'), { home });
  const id = /conversation (\w+)/.exec(first.stderr)?.[1] ?? '';
  const again = await runVarve(['run', '--resume', id, 'Again.'], { home });
  expect([first.stdout, again.stdout]).toEqual(['{"passed":1}\n', '{"passed":2}\n']);
});

test.for([
  [['--output-schema', 'none.json', 'x'], 'none.json'],
  [['--output-schema', 'schema.json', '--text-reply', 'finish', 'x'], '--text-reply'],
  [['--output-schema', 'schema.json', '--resume', 'x'], '--output-schema'],
  [['--output-schema', 'list.json', 'x'], 'no JSON Schema'],
  [['--output-schema', 'string.json', 'x'], 'object with named properties'],
  [['--tools', 'terminal', '--resume', 'x'], '--tools'],
  [['--input-format', 'stream-json', '--goal', 'x'], '--goal'],
] as const)('%j is wrong usage', async ([args, problem]) => {
  const home = await homeWithSchema();
  await writeFile(join(home, 'list.json'), '[]');
  await writeFile(join(home, 'string.json'), '{"type":"string"}');
  const run = await runVarve(runAt('http://127.0.0.1:9/v1', ...args), { home });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(problem)]);
});

test('--tools are the only tools that the model is offered', async () => {
  const home = await newHome();
  await using server = await scriptedServer([done('Done.')]);
  expect((await runVarve(runAt(server.url, '--tools', 'grep, finish', 'Go.'), { home })).code).toBe(0);
  const { tools } = JSON.parse(server.requests[0]?.text ?? '') as { tools: { function: { name: string } }[] };
  expect(tools.map((tool) => tool.function.name)).toEqual(['grep', 'finish']);
});

/** Event of a line of `--json`. */
interface Line {
  readonly id: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Runs with JSON lines as input; `react` receives each event, and writes lines. */
async function streamed(
  url: string,
  first: readonly object[],
  react: (event: Line, write: (...lines: readonly object[]) => void, end: () => void) => void,
  ...args: readonly string[]
) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'varve stream ')));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const write = (...lines: readonly object[]): void => {
    for (const line of lines) stdin.write(`${JSON.stringify(line)}\n`);
  };
  let printed = '';
  stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  createInterface({ input: stdout }).on('line', (line) => react(JSON.parse(line) as Line, write, () => stdin.end()));
  write(...first);
  const code = await runProgram(runAt(url, '--json', '--input-format', 'stream-json', ...args), {
    env: { PATH: process.env['PATH'], HOME: home },
    cwd: home,
    stdin,
    stdout,
    stderr,
  });
  return { code, home, printed };
}

const isStatus = (event: Line, status: string): boolean =>
  event.kind === 'ConversationStateUpdateEvent' && event['key'] === 'execution_status' && event['value'] === status;

test('messages arrive as lines, the first one is the task, and another one continues', async () => {
  await using server = await scriptedServer([done('One.'), done('Two.')]);
  let ends = 0;
  const run = await streamed(server.url, [{ type: 'message', text: 'First task.' }], (event, write, end) => {
    if (!isStatus(event, 'finished')) return;
    ends += 1;
    if (ends === 1) write({ type: 'message', text: 'Second task.' });
    else end();
  });
  expect([run.code, server.requests.length]).toEqual([0, 2]);
  expect(server.requests[0]?.text).toContain('First task.');
  expect(server.requests[1]?.text).toContain('Second task.');
});

test.for([
  ['approve', 'made\n', 'exit code: 0'],
  ['reject', 'none', 'reason-of-the-program'],
] as const)('a waiting call is decided by the id of its event: %s', async ([type, content, known]) => {
  await using server = await scriptedServer([command('echo made > made.txt'), done('Done.')]);
  let action = '';
  const run = await streamed(
    server.url,
    [{ type: 'message', text: 'Go.' }],
    (event, write, end) => {
      if (event.kind === 'ActionEvent' && event['tool_name'] === 'terminal') action = event.id;
      if (isStatus(event, 'finished')) end();
      if (!isStatus(event, 'waiting_for_confirmation')) return;
      write({ type: 'approve', actions: ['none-of-these'] });
      write({ type, actions: [action], ...(type === 'reject' && { reason: 'reason-of-the-program' }) });
    },
    '--confirm',
    'ask',
  );
  expect([run.code, run.printed]).toEqual([0, expect.stringContaining('none-of-these')]);
  expect(await readFile(join(run.home, 'made.txt'), 'utf8').catch(() => 'none')).toBe(content);
  expect(server.requests[1]?.text).toContain(known);
});

test('an interrupt stops a command, and a message after it continues', async () => {
  await using server = await scriptedServer([command('sleep 600'), done('Continued.')]);
  const run = await streamed(
    server.url,
    [{ type: 'message', text: 'Go.' }],
    (event, write, end) => {
      if (event.kind === 'ActionEvent' && event['tool_name'] === 'terminal') write({ type: 'interrupt' });
      if (event.kind === 'InterruptEvent') write({ type: 'message', text: 'Continue.' });
      if (isStatus(event, 'finished')) end();
    },
    '--confirm',
    'never',
  );
  expect(run.code).toBe(0);
  expect(server.requests[1]?.text).toContain('Continue.');
});

test.for([
  [{ type: 'interrupt' }, 'first line'],
  [{ type: 'nonsense' }, 'Line 1'],
] as const)('a line of another form is wrong usage: %j', async ([line, problem]) => {
  const run = await streamed('http://127.0.0.1:9/v1', [line], () => undefined);
  expect([run.code, run.printed]).toEqual([2, expect.stringContaining(problem)]);
});

test('a line of another form during a run interrupts it, and the conversation can be resumed', async () => {
  await using server = await scriptedServer([command('sleep 600'), done('Resumed.')]);
  const run = await streamed(
    server.url,
    [{ type: 'message', text: 'Go.' }],
    (event, write) => {
      if (event.kind === 'ActionEvent') write({ type: 'approve' });
    },
    '--confirm',
    'never',
  );
  expect([run.code, run.printed]).toEqual([2, expect.stringContaining('Line 2')]);
  const id = /conversation (\w+)/.exec(run.printed)?.[1] ?? '';
  expect((await runVarve(['run', '--resume', id], { home: run.home })).stdout).toBe('Resumed.\n');
});
