import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const variable = (text: string): ScriptedTurn => ({ calls: [{ name: 'mcp__docs__getenv', arguments: { text } }] });
const stop = (command: string) => ({ Stop: [{ hooks: [{ command }] }] });

/** A home directory with a repository in it. */
class Project {
  readonly home: string;
  readonly directory: string;
  /** File that hooks write: next to the home directory, which they cannot write. */
  readonly mark: string;

  constructor(home: string) {
    this.home = home;
    this.directory = join(this.home, 'project');
    this.mark = `${this.home}-ran`;
    mkdirSync(join(this.directory, '.git'), { recursive: true });
    // Without it a place that a sandbox holds in a subdirectory would be the nearer repository.
    writeFileSync(join(this.directory, '.git/HEAD'), 'ref: refs/heads/main\n');
  }

  write(path: string, content: unknown, directory = this.directory): void {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** Returns whether a hook has written the file `ran`, and removes it. */
  hasRun(): boolean {
    const isMarked = existsSync(this.mark);
    rmSync(this.mark, { force: true });
    return isMarked;
  }

  async trust(...args: readonly string[]): Promise<Invocation> {
    const invocation = await this.varve('trust', ...args);
    const hash = /--hash ([0-9a-f]+)/.exec(invocation.stderr)?.[1] ?? '';
    await this.varve('trust', ...args, '--hash', hash);
    return invocation;
  }

  varve(...args: readonly string[]): Promise<Invocation> {
    return runVarve(args, { home: this.home });
  }

  run({ url }: Pick<ScriptedServer, 'url'>, ...args: readonly string[]): Promise<Invocation> {
    return this.varve('run', '--base-url', url, '--model', 'scripted', ...args);
  }
}

test('a hook of a repository runs after varve trust has shown it with its script, until one of them changes', async () => {
  const project = new Project(await newHome());
  project.write('.openhands/hooks.json', stop('sh check.sh'));
  project.write('check.sh', `touch ${project.mark}`);
  await using server = await scriptedServer(Array.from({ length: 4 }, () => done));
  const start = ['-w', project.directory, '--store', 'memory:', 'Go.'];
  const before = await project.run(server, ...start);
  expect([before.code, project.hasRun()]).toEqual([0, false]);
  expect(before.stderr).toContain(`so without effect: hooks (.openhands/hooks.json). Review it: varve trust`);
  const invocation = await project.trust(project.directory);
  expect(invocation.stderr).toContain(`│ +touch ${project.mark}`);
  expect((await project.run(server, ...start)).stderr).not.toContain('without effect');
  expect(project.hasRun()).toBe(true);
  project.write('check.sh', `touch ${project.mark} # changed`);
  const after = await project.run(server, ...start);
  expect([after.code, project.hasRun()]).toEqual([0, false]);
  expect(after.stderr).toContain('changed since you trusted it');
  expect((await project.varve('trust', project.directory)).stderr).toContain('# changed');
});

test('a conversation with hooks is resumed with equal hooks only, unless a person chooses others or none', async () => {
  const project = new Project(await newHome());
  const hooks = stop(`touch ${project.mark}`);
  project.write('.openhands/hooks.json', hooks);
  await project.trust(project.directory);
  await using server = await scriptedServer(Array.from({ length: 8 }, () => done));
  const started = await project.run(server, '-w', project.directory, 'Go.');
  const id = /conversation (\w+)/.exec(started.stderr)?.[1] ?? '';
  const resume = (...more: readonly string[]) => project.varve('run', '--resume', id, ...more, 'Again.');
  expect([started.code, project.hasRun(), (await resume()).code, project.hasRun()]).toEqual([0, true, 0, true]);
  project.write('.openhands/hooks.json', stop(`touch ${project.mark}; true`));
  const untrusted = await resume();
  expect([untrusted.code, untrusted.stderr]).toEqual([2, expect.stringContaining('used with hooks')]);
  expect(untrusted.stderr).toContain('--hooks none');
  await project.trust(project.directory);
  const changed = await resume();
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('used with other hooks')]);
  expect([(await resume('--hooks', 'current')).code, project.hasRun()]).toEqual([0, true]);
  project.write('.openhands/hooks.json', '{}');
  expect([(await resume('--hooks', 'none')).code, project.hasRun(), (await resume()).code]).toEqual([0, false, 0]);
});

test('a hook that blocks the message is an error with a hint, and the model reads nothing', async () => {
  const project = new Project(await newHome());
  project.write(
    '.varve/hooks.json',
    { UserPromptSubmit: [{ hooks: [{ command: 'echo No tasks. >&2; exit 2' }] }] },
    project.home,
  );
  await project.trust('--user');
  await using server = await scriptedServer([]);
  const run = await project.run(server, '-w', project.directory, '--store', 'memory:', 'Go.');
  expect([run.code, server.requests.length, run.stderr]).toEqual([2, 0, expect.stringContaining('No tasks.')]);
  expect(run.stderr).toContain('A hook decided that');
  expect((await project.varve('trust', 'list')).stdout).toContain(`${project.home} (--user)`);
  expect((await project.varve('trust', 'rm', '--user')).code).toBe(0);
});

test('a skill of the repository is listed in a subdirectory, and its command runs by the trust of the root', async () => {
  const project = new Project(await newHome());
  const inner = join(project.directory, 'packages/one');
  mkdirSync(inner, { recursive: true });
  const command = `touch ${project.mark}; echo v7`;
  project.write(
    '.agents/skills/release/SKILL.md',
    `---\nname: release\ndescription: Releases it.\n---\nTag: !\`${command}\``,
  );
  const load: ScriptedTurn = { calls: [{ name: 'invoke_skill', arguments: { name: 'release' } }] };
  await using server = await scriptedServer([load, done, load, done]);
  const start = ['-w', inner, '--store', 'memory:', '--confirm', 'never', 'Go.'];
  expect([(await project.run(server, ...start)).code, project.hasRun()]).toEqual([0, false]);
  expect(JSON.stringify(server.requests[0])).toContain('Releases it.');
  expect((await project.trust(inner)).stderr).toContain(`The configuration of ${project.directory} is not trusted`);
  expect([(await project.run(server, ...start)).code, project.hasRun()]).toEqual([0, true]);
  expect(JSON.stringify(server.requests.at(-1))).toContain('Tag: v7');
  expect((await project.varve('trust', 'rm', inner)).code).toBe(0);
});

test('config context lists what files add, and what has no effect', async () => {
  const project = new Project(await newHome());
  project.write('AGENTS.md', 'Use tabs.');
  project.write('.agents/skills/release/SKILL.md', '---\nname: release\ndescription: x\n---\nTag: !`git tag`');
  project.write('.openhands/hooks.json', stop('true\u001b[2J'));
  project.write('.claude/commands/review.md', 'Review $1.');
  const invocation = await project.varve('config', 'context', '-w', project.directory);
  expect(invocation.stdout).toMatch(
    /prompt +\S+AGENTS\.md +repository, 9 bytes\nskill +release +\S+, commands not trusted\n$/,
  );
  expect(invocation.stderr).toContain(
    'so without effect: hooks (.openhands/hooks.json), commands of the skill release',
  );
  expect(invocation.stderr).toContain('the command /review of sessions (.claude/commands/review.md)');
  await project.trust(project.directory);
  const trusted = await project.varve('config', 'context', '-w', project.directory);
  expect([trusted.stderr, trusted.stdout]).toEqual([
    '',
    expect.stringMatching(/hook +Stop +true[^]*command +\/review +\.claude\/commands\/review\.md/),
  ]);
  expect(trusted.stdout).not.toContain('\u001b');
});

test('ask and auto are names of the confirmation policies', async () => {
  const { home } = new Project(await newHome());
  await runVarve(['config', 'set', 'confirmation.policy', 'always'], { home });
  expect((await runVarve(['config', 'get', 'confirmation.policy'], { home })).stdout).toBe('ask\n');
  const mistaken = await runVarve(['config', 'set', 'modle', 'x'], { home });
  expect([mistaken.code, mistaken.stderr]).toEqual([2, expect.stringContaining('the nearest is "llm.model"')]);
});

test('a server of .mcp.json starts after it is trusted, and ends with the run; a resumed run has its tools without it', async () => {
  const project = new Project(await newHome());
  const script = fileURLToPath(new URL('../../../packages/tools/test/support/mcp-server.ts', import.meta.url));
  project.write('server.ts', readFileSync(script, 'utf8'));
  // Other agents have secrets in this file.
  const env = { A: '${TOKEN}', DOCS_KEY: 'key-of-the-file-0123' };
  project.write('.mcp.json', { mcpServers: { docs: { command: process.execPath, args: ['server.ts'], env } } });
  await runVarve(['secret', 'set', 'TOKEN'], { home: project.home, stdin: 'token-0123456789' });
  const echo: ScriptedTurn = { calls: [{ name: 'mcp__docs__echo', arguments: { text: 'It answers.' } }] };
  const cat: ScriptedTurn = { calls: [{ name: 'terminal', arguments: { command: 'cat .mcp.json' } }] };
  await using server = await scriptedServer([done, echo, variable('A'), variable('DOCS_KEY'), cat, done, echo, done]);
  const start = ['-w', project.directory, '--confirm', 'never'];
  const before = await project.run(server, ...start, '--store', 'memory:', 'Go.');
  expect(before.stderr).toContain('so without effect: servers (.mcp.json)');
  expect(JSON.stringify(server.requests[0])).not.toContain('mcp__');
  await project.trust(project.directory);
  const run = await project.run(server, ...start, 'Go.');
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('conversation')]);
  expect(JSON.stringify(server.requests.at(-1))).toContain('It answers.');
  expect(JSON.stringify(server.requests.at(-1))).toContain('<secret-hidden>');
  expect(JSON.stringify(server.requests)).not.toMatch(/key-of-the-file|token-0123/);
  project.write('server.ts', 'process.exit(1);');
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  const resumed = await project.varve('run', '--resume', id, 'Again.');
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('changed since you trusted it')]);
  expect(JSON.stringify(server.requests.at(-1))).toContain('The server docs is not running.');
});

test('a conversation is resumed with its own tools, whatever the settings are now', async () => {
  const project = new Project(await newHome());
  await using server = await scriptedServer([done, done]);
  const run = await project.run(server, '-w', project.directory, '--set', 'tools.add=apply_patch', 'Go.');
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  const resumed = await project.varve('run', '--resume', id, 'Again.');
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining('apply_patch')]);
  expect(JSON.stringify(server.requests.at(-1))).toContain('apply_patch');
});
