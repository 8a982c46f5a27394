import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseHooks } from './hook-config.ts';
import { loadHooks } from './load-hooks.ts';
import { runHook } from './run-hook.ts';

const command = (text: string) => ({ hooks: [{ command: text }] });

/** Returns a directory with these files. */
async function directory(files: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'varve-hooks-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) await put(root, path, content);
  return root;
}

async function put(root: string, path: string, content: unknown): Promise<void> {
  const parents = dirname(path).split('/');
  for (const [index] of parents.entries()) {
    await mkdir(join(root, ...parents.slice(0, index + 1))).catch(() => undefined);
  }
  await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

test('hooks are read in both spellings, with and without a wrapper', () => {
  const hooks = { PreToolUse: [{ matcher: 'terminal', hooks: [{ type: 'command', command: './check' }] }] };
  const snake = { pre_tool_use: [{ matcher: 'terminal', hooks: [{ command: './check' }] }] };
  expect([parseHooks(hooks), parseHooks(snake), parseHooks({ hooks: snake })]).toEqual([hooks, hooks, hooks]);
});

test.for([
  [{ BeforeTool: [] }, 'BeforeTool'],
  [{ Stop: [], stop: [] }, 'listed twice'],
  [{ Stop: [{ hooks: [{ type: 'agent', prompt: 'Is it done?' }] }] }, 'Stop.0.hooks.0.type'],
  [{ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?', async: true }] }] }, 'async'],
  [{ Stop: [{ hooks: [{ type: 'prompt' }] }] }, 'prompt'],
  [{ Stop: [{ hooks: [{ command: 'a', timeout: 1e9 }] }] }, 'timeout'],
  [{ Stop: [{ hooks: [{ command: 'a', comand: 'b' }] }] }, 'comand'],
  [[], 'JSON object'],
] as const)('%j is refused', ([json, reason]) => {
  expect(() => parseHooks(json)).toThrow(reason);
});

test('only trusted files have an effect, and a repository does not replace the hooks of the user', async () => {
  const workspace = await directory({ '.openhands/hooks.json': { stop: [command('project')] } });
  const home = await directory({ '.varve/hooks.json': { stop: [command('user')] } });
  const untrusted = await loadHooks({ workspace, home });
  expect(untrusted).toMatchObject({ hooks: {}, sources: [{ scope: 'user' }, { scope: 'project', isTrusted: false }] });
  const digests = new Set(untrusted.sources.flatMap((source) => source.digests));
  const { hooks } = await loadHooks({ workspace, home, trusted: (digest) => digests.has(digest) });
  expect(hooks.Stop?.map((group) => group.hooks[0])).toMatchObject([{ command: 'user' }, { command: 'project' }]);
});

test('trust ends when the file, or a script that it names, changes', async () => {
  const workspace = await directory({
    '.openhands/hooks.json': { stop: [command('sh "$OPENHANDS_PROJECT_DIR/check.sh"')] },
    'check.sh': 'exit 0',
  });
  const [source] = (await loadHooks({ workspace })).sources;
  const trusted = (digest: string): boolean => source?.digests.includes(digest) ?? false;
  expect((await loadHooks({ workspace, trusted })).hooks.Stop?.[0]?.hooks[0]).toHaveProperty(['files', 'check.sh']);
  await put(workspace, 'check.sh', 'exit 1');
  expect((await loadHooks({ workspace, trusted })).hooks).toEqual({});
});

test('a script with the name of a prototype is part of what is trusted', async () => {
  const workspace = await directory({ '.varve/hooks.json': { stop: [command('sh __proto__')] } });
  await put(workspace, '__proto__', 'exit 0');
  const before = (await loadHooks({ workspace })).sources[0]?.digests;
  await put(workspace, '__proto__', 'exit 1');
  expect((await loadHooks({ workspace })).sources[0]?.digests).not.toEqual(before);
});

async function hook(workspace: string) {
  const loaded = (await loadHooks({ workspace, trusted: () => true })).hooks.Stop?.[0]?.hooks[0];
  return loaded?.type === 'prompt' ? undefined : loaded;
}

test('hooks of the repository run in its root, unless the workspace has its own', async () => {
  const root = await directory({
    '.git/HEAD': '',
    '.openhands/hooks.json': { stop: [command('sh check.sh')] },
    'check.sh': 'pwd; echo "$OPENHANDS_PROJECT_DIR"',
    'a/check.sh': 'exit 1',
    'b/.varve/hooks.json': { stop: [command('own')] },
  });
  const loaded = await hook(join(root, 'a'));
  expect(loaded).toMatchObject({ command: 'sh check.sh', directory: root });
  expect([await hook(root), await hook(join(root, 'b'))]).toMatchObject([{ files: loaded?.files }, { command: 'own' }]);
  expect(await hook(root)).not.toHaveProperty('directory');
  const input = { event_type: 'Stop', session_id: 's', working_dir: join(root, 'a'), metadata: {} } as const;
  const ran = loaded && (await runHook(loaded, input, { signal: new AbortController().signal }));
  expect(ran?.stdout.trim().split('\n')).toEqual([await realpath(root), root]);
  const [inner, outer] = [await loadHooks({ workspace: join(root, 'a') }), await loadHooks({ workspace: root })];
  expect(inner.sources[0]?.digests).toEqual(outer.sources[0]?.digests);
});

test('a digest is not that of the same bytes elsewhere', async () => {
  const file = { stop: [command('true')] };
  const [project, home] = [
    await directory({ '.varve/hooks.json': file }),
    await directory({ '.varve/hooks.json': file }),
  ];
  const { sources } = await loadHooks({ workspace: project, home });
  expect(new Set(sources.flatMap(({ digests }) => digests)).size).toBe(2);
});

test('a file with an error is a problem with its line, and other files still count', async () => {
  const workspace = await directory({ '.openhands/hooks.json': '{\n  "stop": [,]\n}' });
  const home = await directory({ '.openhands/hooks.json': { stop: [command('user')] } });
  const { problems, hooks } = await loadHooks({ workspace, home, trusted: () => true });
  expect(problems).toMatchObject([{ path: join(workspace, '.openhands/hooks.json'), line: 2 }]);
  expect(hooks.Stop).toHaveLength(1);
});

test('an invalid hook, group or event is a problem, and the others of its file count', async () => {
  const file = {
    stop: [{ hooks: [{ command: 'good' }, { comand: 'bad' }] }, 'no group', { hooks: [{ command: 'last' }] }],
    before_tool: [command('unknown')],
    session_start: 'no list',
    pre_tool_use: [command('other')],
  };
  const workspace = await directory({ '.varve/hooks.json': file });
  const { problems, hooks } = await loadHooks({ workspace, trusted: () => true });
  expect(hooks).toMatchObject({
    Stop: [{ hooks: [{ command: 'good' }] }, { hooks: [{ command: 'last' }] }],
    PreToolUse: [{ hooks: [{ command: 'other' }] }],
  });
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Stop\.0\.hooks\.1.* is invalid: /),
    expect.stringMatching(/^Stop\.1 is invalid: /),
    'There is no hook event "before_tool".',
    expect.stringMatching(/^SessionStart is invalid: /),
  ]);
});

test.for([
  ['many mistakes', '}'.repeat(1_000_000)],
  ['a deep mistake', `[${'a: '.repeat(5000)}]`],
])('a file with %s is a problem without a line', async ([, content]) => {
  const workspace = await directory({ '.openhands/hooks.json': content });
  const { problems } = await loadHooks({ workspace });
  expect(problems).toEqual([
    { path: join(workspace, '.openhands/hooks.json'), message: 'The file is not valid JSON.' },
  ]);
});

test('a link of a repository that leads outside is refused', async () => {
  const outside = await directory({ 'hooks.json': { stop: [command('outside')] } });
  const workspace = await directory({ '.openhands/keep': '' });
  await symlink(join(outside, 'hooks.json'), join(workspace, '.openhands/hooks.json'));
  const { sources, problems } = await loadHooks({ workspace, trusted: () => true });
  expect([sources, problems.length]).toEqual([[], 1]);
});
