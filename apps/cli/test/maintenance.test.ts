import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { onTerminal } from './terminal-user.ts';

const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });

/** Returns a home with one conversation of these tasks, its id, and what runs a command there. */
async function conversationOf(tasks: readonly string[]) {
  const home = await newHome();
  const server = await scriptedServer([...tasks, 'later'].map((task) => done(`Done: ${task}`)));
  const varve = (args: readonly string[], stdin = '') => runVarve(args, { home, stdin });
  const [first = '', ...others] = tasks;
  const run = await varve(['run', '--base-url', server.url, '--model', 'm', first]);
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  for (const task of others) await varve(['run', '--resume', id, task]);
  return { id, home, server, varve, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('rewind goes back to an event: the model reads nothing that came after it, and the log keeps all', async () => {
  await using conversation = await conversationOf(['task-one', 'task-two']);
  const { id, server, varve } = conversation;
  const events = (await varve(['show', id, '--json'])).stdout.trim().split('\n');
  const { id: event } = JSON.parse(events.find((line) => line.includes('Done: task-one')) ?? '{}') as { id: string };
  expect((await varve(['rewind', id, event.slice(0, 8)])).code).toBe(0);
  await varve(['run', '--resume', id, 'task-three']);
  expect(server.requests[2]?.text).toContain('task-one');
  expect(server.requests[2]?.text).toContain('task-three');
  expect(server.requests[2]?.text).not.toContain('task-two');
  expect((await varve(['show', id, '--json'])).stdout).toContain('task-two');
  const shown = await varve(['show', id]);
  expect(shown.stdout).toMatch(/task-one[^]*task-three/);
  expect(shown.stdout).not.toContain('task-two');
  expect(shown.stderr).toMatch(/Not shown: \d+ events on other branches\./);
  expect((await varve(['show', id, '--full'])).stdout).toMatch(
    /event \d+, on another branch\n[^\n]*MessageEvent[^]*task-two/,
  );
  expect(await varve(['rewind', id, 'zzz'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--full') });
});

test('rewind to the start leaves the model nothing of before', async () => {
  await using conversation = await conversationOf(['task-one']);
  const { id, server, varve } = conversation;
  expect((await varve(['rewind', id, 'start'])).code).toBe(0);
  await varve(['run', '--resume', id, 'task-two']);
  expect(server.requests[1]?.text).not.toContain('task-one');
});

/** Returns the names in a directory without those that a sandbox hides. */
async function filesOf(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => !name.startsWith('.')).toSorted();
}

test('rewind sets files back that calls changed, after a plan, and leaves those that something else changed', async () => {
  const home = await newHome();
  const workspace = join(home, 'work');
  await mkdir(workspace);
  await writeFile(join(workspace, 'old.txt'), 'old');
  const calls = [
    { name: 'file_editor', arguments: { command: 'create', path: join(workspace, 'new.txt'), file_text: 'new' } },
    { name: 'terminal', arguments: { command: 'echo changed > old.txt; echo made > made.txt' } },
  ];
  await using server = await scriptedServer([{ calls }, done('Done.')]);
  const varve = (...args: readonly string[]) => runVarve(args, { home });
  const options = ['--base-url', server.url, '--model', 'm', '--workspace', workspace, '--confirm', 'never'];
  const id = /conversation (\w+)/.exec((await varve('run', ...options, 'Work.')).stderr)?.[1] ?? '';
  await writeFile(join(workspace, 'made.txt'), 'mine');
  const [end] = (await varve('show', id, '--json')).stdout.trim().split('\n').slice(-1);
  const { id: event } = JSON.parse(end ?? '') as { id: string };
  // A file that only a person changed goes back only if the person names it.
  expect((await varve('rewind', id, event, '--dry-run')).stdout).toBe('');
  const named = await varve('rewind', id, event, '--dry-run', '--overwrite', 'made.txt');
  expect(named.stdout).toMatch(/^write made.txt\n/);
  const plan = await varve('rewind', id, 'start', '--dry-run');
  const reason = 'it was changed by something else since';
  const lines = plan.stdout.trim().split('\n');
  expect(lines.slice(0, 3)).toEqual([`conflict made.txt: ${reason}`, 'delete new.txt', 'write old.txt']);
  expect(lines.slice(-4).map((line) => line.trim())).toEqual(['--- old.txt', '+++ old.txt', '1 - changed', '1 + old']);
  expect(await readFile(join(workspace, 'old.txt'), 'utf8')).toBe('changed\n');
  expect(await varve('rewind', id, 'start', '--files')).toMatchObject({ code: 6, stdout: plan.stdout });
  expect(await filesOf(workspace)).toEqual(['made.txt', 'old.txt']);
  expect(await readFile(join(workspace, 'old.txt'), 'utf8')).toBe('old');
  expect(await readFile(join(workspace, 'made.txt'), 'utf8')).toBe('mine');
  const ask = async (answer: string) =>
    onTerminal(['rewind', id, 'start', '--files'], home, [
      ['Set made.txt back although something else changed it?', answer],
      ['Set the files back?', answer],
    ]);
  expect(await ask('n')).toMatchObject({ code: 130, left: [] });
  expect(await filesOf(workspace)).toEqual(['made.txt', 'old.txt']);
  expect(await ask('y')).toMatchObject({ code: 0, left: [] });
  expect(await filesOf(workspace)).toEqual(['old.txt']);
});

test('scrub masks typed and stored secrets in all conversations, and the logs stay verifiable', async () => {
  await using conversation = await conversationOf(['the key is tok-first-0123456789', 'and tok-second-0123456789']);
  const { id, varve } = conversation;
  expect(await varve(['scrub'], 'tok-first-0123456789\n')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('varve key'),
  });
  await varve(['key']);
  const typed = await varve(['scrub'], 'tok-first-0123456789\n');
  expect([typed.code, typed.stderr]).toEqual([0, expect.stringMatching(/Masked \d+ events? in 1 conversation\./)]);
  await varve(['secret', 'set', 'SECOND'], 'tok-second-0123456789');
  expect((await varve(['scrub', 'SECOND'])).code).toBe(0);
  const shown = (await varve(['show', id, '--json'])).stdout;
  expect(shown).not.toContain('tok-first');
  expect(shown).not.toContain('tok-second');
  expect((await varve(['verify', id])).code).toBe(0);
  expect((await varve(['scrub', 'NONE'])).code).toBe(5);
  expect((await varve(['scrub'], '')).code).toBe(2);
});

test('scrub masks secrets in typed inputs, long outputs and undo histories', async () => {
  await using conversation = await conversationOf(['one']);
  const { home, varve } = conversation;
  const secret = 'tok-"first"-0123456789';
  const files = ['inputs.jsonl', 'outputs/id/terminal_output_0123abcd.txt', 'edits/id/0.before', 'completions/1.json'];
  const paths = files.map((file) => join(home, '.varve', file));
  for (const path of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith('jsonl') ? `${JSON.stringify(`is ${secret}`)}\n"two"\n` : `is ${secret}\ntwo`);
  }
  await varve(['key']);
  const { code, stderr } = await varve(['scrub'], secret);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Masked 4 files of inputs, long outputs')]);
  for (const path of paths) {
    const after = await readFile(path, 'utf8');
    expect(after).toContain('two');
    expect(after).toMatch(/is \*{10,}/);
    expect(after).not.toContain('0123456789');
  }
});

test('gc removes files of old conversations only', async () => {
  const home = await newHome();
  const outputs = join(home, '.varve/outputs');
  for (const [name, days] of [
    ['old', 40],
    ['new', 2],
  ] as const) {
    const directory = join(outputs, name);
    await mkdir(directory, { recursive: true });
    const file = join(directory, 'terminal_output_0123abcd.txt');
    await writeFile(file, 'x');
    const time = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    for (const path of [file, directory]) await utimes(path, time, time);
  }
  expect(await runVarve(['gc'], { home })).toMatchObject({ code: 0, stderr: 'Removed the files of 1 directory.\n' });
  expect(await readdir(outputs)).toEqual(['new']);
  expect((await runVarve(['gc', '--older-than', '1d'], { home })).code).toBe(0);
  expect(await readdir(outputs)).toEqual([]);
});
