import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { orxhestraEventOf, verifyEvents } from '@varve/interop/records';
import { expect, test } from 'vitest';
import { runVarve, type Invocation } from './run-varve.ts';

const fixture = new URL('../../../packages/interop/test/fixtures/v0/every-kind.json', import.meta.url);

async function setup() {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const varve = (...args: readonly string[]): Promise<Invocation> => runVarve(args, { home });
  const records = JSON.parse(await readFile(fixture, 'utf8')) as readonly object[];
  return { home, varve, records };
}

test('a V0 trajectory is imported, shown, and exported as it was, with the events of the import after it', async () => {
  const { home, varve, records } = await setup();
  const file = join(home, 'trajectory.json');
  await writeFile(file, JSON.stringify(records));
  const imported = await varve('import', file);
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('of the format v0.')]);
  const [id = '', delegate = ''] = imported.stdout.split('\n');
  expect((await varve('show', id)).stdout).toContain('make test');
  expect((await varve('show', delegate)).stdout).toContain('TASK: Look it up');
  const target = join(home, 'again.json');
  const exported = await varve('export', id, target, '--format', 'v0');
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('Left out: varve.import, once.')]);
  const again = JSON.parse(await readFile(target, 'utf8')) as readonly object[];
  expect(again.slice(0, records.length)).toEqual(records);
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  expect((await varve('export', id, target, '--format', 'v0')).stderr).toContain('it exists already');
});

test('a V0 directory is imported under its id, and links in it are not followed', async () => {
  const { home, varve, records } = await setup();
  const directory = join(home, 'session-1');
  await mkdir(join(directory, 'events'), { recursive: true });
  for (const [index, record] of records.slice(0, 4).entries()) {
    await writeFile(join(directory, 'events', `${index}.json`), JSON.stringify(record));
  }
  await writeFile(join(home, 'private.json'), JSON.stringify({ ...records[1], id: 4, message: 'private' }));
  await symlink(join(home, 'private.json'), join(directory, 'events', '4.json'));
  await writeFile(join(directory, 'agent_state.pkl'), 'gASV');
  const { code, stdout, stderr } = await varve('import', directory);
  expect([code, stdout]).toEqual([0, 'session-1\n']);
  expect(stderr).toContain('events/4.json was not read');
  expect(stderr).toContain('agent_state.pkl was not read: It is a Python pickle');
  expect((await varve('show', 'session-1', '--json')).stdout).not.toContain('private');
  expect((await varve('import', directory)).code).toBe(4);
  const target = join(home, 'out');
  expect((await varve('export', 'session-1', target, '--format', 'v0-directory')).code).toBe(0);
  expect((await readdir(join(target, 'events'))).slice(0, 4)).toEqual(['0.json', '1.json', '2.json', '3.json']);
  expect((await varve('export', 'session-1', '-', '--format', 'v0-directory')).stderr).toContain('standard output');
});

test('an event that is read although its parent is missing is reported as such', async () => {
  const { home, varve } = await setup();
  const message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
  const event = { id: 'a', timestamp: '2026-01-01T10:00:00', source: 'user', parent_id: 'gone', llm_message: message };
  await writeFile(join(home, 'events.json'), JSON.stringify([{ ...event, kind: 'MessageEvent' }]));
  const { code, stderr } = await varve('import', join(home, 'events.json'));
  expect([code, stderr]).toEqual([0, expect.stringContaining('event 0: Its parent is missing')]);
});

test('a call without a result is answered as not executed, although its record is confirmed', async () => {
  const { home, varve } = await setup();
  const args = { command: 'touch created', confirmation_state: 'confirmed' };
  const approval = { observation: 'agent_state_changed', extras: { agent_state: 'user_confirmed' } };
  await writeFile(join(home, 'open.json'), JSON.stringify([{ id: 0, source: 'agent', action: 'run', args }, approval]));
  const { stdout, stderr } = await varve('import', 'open.json');
  expect(stderr).toContain('1 of its calls had no result; they do not run here.');
  expect((await varve('show', stdout.trim(), '--json')).stdout).toContain('It was not executed here');
  expect(await readdir(home)).not.toContain('created');
});

test.for([
  [['import', 'state.pkl'], 'state.pkl is not imported. It is a Python pickle'],
  [['import', 'list.json', '--format', 'v0'], 'list.json contains no action and no observation.'],
  [['import', 'list.json', '--format', 'x'], 'x is not a format.'],
  [['import', '-', '--format', 'v0'], 'Only a file of `varve export` is read from standard input.'],
  [
    ['import', 'empty.json', '--trust', 'did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX'],
    'empty.json has no signatures',
  ],
  [['export', 'a', 'b', '--format', 'v0-state'], 'v0-state is not a format.'],
] as const)('%j is refused with the reason', async ([args, reason]) => {
  const { home, varve } = await setup();
  await writeFile(join(home, 'state.pkl'), 'gASV');
  await writeFile(join(home, 'list.json'), '[{"kind":"x"}]');
  await writeFile(join(home, 'empty.json'), '[]');
  const { code, stdout, stderr } = await varve(...args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
});

test('a session of orxhestra is imported, and exported with signatures of its own key', async () => {
  const { home, varve } = await setup();
  const session = new URL('../../../packages/interop/test/fixtures/orxhestra/session.json', import.meta.url);
  await writeFile(join(home, 'session.json'), await readFile(session, 'utf8'));
  expect(await varve('import', 'session.json')).toMatchObject({ code: 0, stdout: 'sess-1\n' });
  const key = (await varve('key')).stdout.trim();
  expect((await varve('export', 'sess-1', 'out.json', '--format', 'orxhestra', '--sign')).code).toBe(0);
  const { events } = JSON.parse(await readFile(join(home, 'out.json'), 'utf8')) as {
    readonly events: readonly object[];
  };
  const signed = events.map((event) => orxhestraEventOf(event)).filter((event) => event !== undefined);
  const policy = { trusted: [key], mustBeSigned: ['tool_response'], chain: 'log' } as const;
  expect(verifyEvents(signed, policy).filter(({ problem }) => problem)).toEqual([]);
  expect((await varve('export', 'sess-1', 'chat.json', '--format', 'chat', '--sign')).stderr).toContain(
    'no signatures',
  );
  const again = await runVarve(['import', 'out.json', '--store', 'sqlite:again.db', '--trust', key], { home });
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(`with a valid signature of ${key}.`)]);
  const stranger = 'did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX';
  const refused = await varve('import', 'out.json', '--store', 'sqlite:third.db', '--trust', stranger);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining('is not trusted')]);
});

test('a conversation is imported from a pipe that another program writes', async () => {
  const { home, varve } = await setup();
  expect((await varve('import', fileURLToPath(fixture))).code).toBe(0);
  const [id = ''] = (await varve('ls', '--json')).stdout.match(/(?<="id":")[^"]+/) ?? [];
  const bundle = (await varve('export', id, '-')).stdout;
  const pipe = join(home, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [written, imported] = [writeFile(pipe, bundle), varve('import', pipe, '--store', 'sqlite:other.db')];
  await written;
  expect(await imported).toMatchObject({ code: 0, stdout: `${id}\n` });
});

test('the sessions of a database of orxhestra are imported', async () => {
  const { home, varve } = await setup();
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(home, 'sessions.db'));
  database.exec(`
    CREATE TABLE orx_sessions (id, app_name, user_id, state_json, last_update_time);
    CREATE TABLE orx_events (id, session_id, event_json, created_at);
    INSERT INTO orx_sessions VALUES ('s-1', 'a', 'u', '{}', 1), ('s-2', 'a', 'u', '{}', 2);
  `);
  const insert = database.prepare('INSERT INTO orx_events VALUES (?, ?, ?, 1)');
  for (const id of ['s-1', 's-2']) {
    const content = { parts: [{ type: 'text', text: `Hello ${id}` }] };
    insert.run(id, id, JSON.stringify({ id, type: 'user_message', timestamp: 1, content }));
  }
  database.close();
  expect(await varve('import', 'sessions.db')).toMatchObject({ code: 0, stdout: 's-1\ns-2\n' });
  expect((await varve('show', 's-2')).stdout).toContain('Hello s-2');
});
