import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });
const task = (type: string): ScriptedTurn => ({
  calls: [{ name: 'task', arguments: { prompt: `Do the part of ${type}.`, subagent_type: type } }],
});

/** A home directory with a repository in it. */
async function newProject() {
  const home = await newHome();
  const directory = join(home, 'project');
  mkdirSync(join(directory, '.git'), { recursive: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const varve = (...args: readonly string[]): Promise<Invocation> => runVarve(args, { home });
  const run = ({ url }: Pick<ScriptedServer, 'url'>, ...args: readonly string[]): Promise<Invocation> =>
    varve('run', '--base-url', url, '--model', 'big', '-w', directory, '--confirm', 'never', ...args);
  /** Saves a profile and makes it that of a role. */
  const save = async (name: string, { url }: Pick<ScriptedServer, 'url'>, role?: string): Promise<void> => {
    await varve('profile', 'save', name, `model=${name}`, `base_url=${url}`);
    if (role !== undefined) await varve('profile', 'use', name, role);
  };
  return { home, directory, write, varve, run, save };
}

function idOf({ stderr }: Invocation): string {
  return /conversation (\w+)/.exec(stderr)?.[1] ?? '';
}

test('a task runs in a conversation of its own with the model of the role subagent, also after the settings changed', async () => {
  const { run, save, varve, write } = await newProject();
  write('.agents/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews.\n---\nReview like Ada.');
  await using parent = await scriptedServer([
    task('general-purpose'),
    done('All done.'),
    task('reviewer'),
    done('Ok.'),
  ]);
  await using child = await scriptedServer([done('The part is done.'), done('Reviewed.')]);
  await save('small', child, 'subagent');
  const first = await run(parent, '--set', 'tools.add=task', 'Go.');
  expect([first.code, first.stdout]).toEqual([0, 'All done.\n']);
  expect(JSON.stringify(child.requests[0])).toContain('Do the part of general-purpose.');
  expect(child.requests[0]?.text).toContain('"model":"small"');
  expect(JSON.stringify(parent.requests[1])).toContain('The part is done.');
  // The tool is that of the conversation, not of the settings, and the child has a log of its own.
  const resumed = await varve('run', '--resume', idOf(first), 'Now review.');
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining('sub_agents')]);
  expect(JSON.stringify(child.requests[1])).toContain('Review like Ada.');
  expect(JSON.stringify(parent.requests[3])).toContain('Reviewed.');
  expect((await varve('show', idOf(first))).stdout).not.toContain('Review like Ada.');
  expect((await varve('ls')).stdout.trim().split('\n')).toHaveLength(3);
});

test('sub-agents share the limits of the conversation', async () => {
  const { run, save } = await newProject();
  await using parent = await scriptedServer([task('general-purpose'), done('All done.')]);
  await using child = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command: 'true' } }] },
    { calls: [{ name: 'terminal', arguments: { command: 'true' } }] },
  ]);
  await save('small', child, 'subagent');
  const limited = await run(parent, '--set', 'tools.add=task', '--set', 'budget.calls=2', 'Go.');
  expect([limited.code, parent.requests.length, child.requests.length]).toEqual([6, 1, 1]);
  expect(limited.stderr).toContain('Stopped at the model-call limit');
});

test('a repository cannot choose the model of a sub-agent before it is trusted', async () => {
  const { run, save, write, varve, directory } = await newProject();
  write('.claude/agents/costly.md', '---\nname: costly\nmodel: gold\n---\nSpend it.');
  await using parent = await scriptedServer([
    task('costly'),
    done('Ok.'),
    done('All done.'),
    task('costly'),
    done('Ok.'),
  ]);
  await using gold = await scriptedServer([done('Spent.')]);
  await save('gold', gold);
  const args = ['--set', 'tools.add=delegate,task', '--store', 'memory:', 'Go.'];
  const before = await run(parent, ...args);
  expect([before.code, gold.requests.length]).toEqual([0, 0]);
  expect(before.stderr).toContain('the model gold has no effect: the project is not trusted');
  const invocation = await varve('trust', directory);
  expect(invocation.stderr).toContain('model: gold');
  await varve('trust', directory, '--hash', /--hash ([0-9a-f]+)/.exec(invocation.stderr)?.[1] ?? '');
  const trusted = await run(parent, ...args);
  expect([trusted.code, gold.requests.length, trusted.stderr]).toEqual([
    0,
    1,
    expect.not.stringContaining('no effect'),
  ]);
  write('.claude/agents/costly.md', '---\nname: costly\nmodel: gold\n---\nSpend more.');
  expect((await varve('trust', directory)).stderr).toContain('+Spend more.');
});

test('a server of a sub-agent starts after it is trusted, and only the sub-agent has its tools', async () => {
  const { run, write, varve, directory } = await newProject();
  const script = new URL('../../../packages/tools/test/support/mcp-server.ts', import.meta.url);
  write('server.ts', readFileSync(script, 'utf8'));
  const servers = { docs: { command: process.execPath, args: ['server.ts'] } };
  write('.agents/agents/reader.md', `---\nname: reader\nmcp_config: ${JSON.stringify(servers)}\n---\nRead.`);
  const echo: ScriptedTurn = { calls: [{ name: 'mcp__docs__echo', arguments: { text: 'It answers.' } }] };
  await using model = await scriptedServer([
    task('reader'),
    done('Ok.'),
    done('Ok.'),
    task('reader'),
    echo,
    done('Ok.'),
    done('Ok.'),
  ]);
  const args = ['--set', 'tools.add=task', '--store', 'memory:', 'Go.'];
  const before = await run(model, ...args);
  expect(before.stderr).toContain('so without effect: servers of the sub-agent reader');
  expect(JSON.stringify(model.requests[1])).not.toContain('mcp__');
  const hash = /--hash ([0-9a-f]+)/.exec((await varve('trust', directory)).stderr)?.[1] ?? '';
  await varve('trust', directory, '--hash', hash);
  expect((await run(model, ...args)).code).toBe(0);
  expect(model.requests.slice(3).map(({ text }) => text.includes('mcp__docs__echo'))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(JSON.stringify(model.requests[5])).toContain('It answers.');
  // Its script is part of what is trusted.
  write('server.ts', 'process.exit(1);');
  expect((await varve('trust', directory)).stderr).toContain('+process.exit(1);');
});

test('a title is written by the model of the role title, next to the run, and without one nothing is asked', async () => {
  const { run, save, varve } = await newProject();
  await using parent = await scriptedServer([done('Done.'), done('Done.'), done('Done.')]);
  await using titles = await scriptedServer([
    { text: '🐛 Fix the parser' },
    { fault: { kind: 'answer', status: 400, body: 'No.' } },
  ]);
  const plain = await run(parent, 'The parser drops a line.');
  await save('titles', titles, 'title');
  const titled = await run(parent, 'The parser drops a line.');
  const failed = await run(parent, 'The last line.');
  expect([plain.code, titled.code, failed.code, titles.requests.length]).toEqual([0, 0, 0, 2]);
  expect(failed.stderr).not.toContain('No.');
  const listed = (await varve('ls')).stdout;
  expect(listed).toMatch(/🐛 Fix the parser\n/u);
  expect(listed).toMatch(/The last line\.\n/);
  expect((await varve('show', idOf(titled), '--json')).stdout).toContain('"usage_id":"title"');
});
