import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel, scriptedServer } from '@varve/llm/testing';
import { scrub } from '@varve/storage/maintenance';
import { ed25519Signer } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { runProgram } from '../src/commands/program.ts';

/** Creates a home with one finished conversation in a SQLite store, and runs the command in it. */
async function worked() {
  const home = await mkdtemp(join(tmpdir(), 'varve home '));
  const varve = async (...args: readonly string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const env = { PATH: process.env['PATH'], HOME: home };
    const code = await runProgram(args, { env, cwd: home, stdin: Readable.from([]), stdout, stderr });
    stdout.end();
    stderr.end();
    return { code, stdout: await readAll(stdout), stderr: await readAll(stderr) };
  };
  await using server = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command: 'echo hello' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Printed hello.' } }] },
  ]);
  await varve('run', 'Print hello.', '--base-url', server.url, '--model', 'm');
  const id = (await varve('ls')).stdout.split(' ')[0] ?? '';
  return { home, varve, id };
}

test('an edit of an earlier run can be undone, and a run with a log in memory leaves no undo history', async () => {
  const { home, varve } = await worked();
  const path = join(home, 'greeting.txt');
  await writeFile(path, 'hello\n');
  const edit = (args: object) => ({ calls: [{ name: 'file_editor', arguments: { path, ...args } }] });
  const replace = edit({ command: 'str_replace', old_str: 'hello', new_str: 'goodbye' });
  const done = { text: 'Done.' };
  await using server = await scriptedServer([replace, done, edit({ command: 'undo_edit' }), done, replace, done]);
  const model = ['--base-url', server.url, '--model', 'm'];
  const { stderr } = await varve('run', 'Write goodbye.', ...model);
  const id = /conversation (\w+)/.exec(stderr)?.[1] ?? '';
  expect(await readFile(path, 'utf8')).toBe('goodbye\n');
  await varve('run', 'No, hello.', '--resume', id, ...model);
  expect(await readFile(path, 'utf8')).toBe('hello\n');
  await varve('run', 'Write goodbye.', '--store', 'memory:', ...model);
  expect(await readFile(path, 'utf8')).toBe('goodbye\n');
  expect(await readdir(join(home, '.varve', 'edits'))).toEqual([id]);
});

test('a run removes files of old conversations, and nothing else', async () => {
  const { home, varve } = await worked();
  const place = (name: string): string => join(home, '.varve', name);
  for (const directory of ['edits/old', 'edits/young', 'edits/mine', 'outputs/old']) {
    await mkdir(place(directory), { recursive: true });
    await writeFile(
      join(place(directory), directory.startsWith('edits') ? 'edits.json' : 'terminal_output_0a1b2c3d.txt'),
      '[]',
    );
  }
  await writeFile(join(place('edits/mine'), 'notes.txt'), 'mine');
  const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  for (const directory of ['edits/old', 'edits/mine', 'outputs/old']) {
    for (const file of await readdir(place(directory))) await utimes(join(place(directory), file), old, old);
    await utimes(place(directory), old, old);
  }
  await using server = await scriptedServer([{ text: 'Done.' }]);
  await varve('run', 'Hi.', '--base-url', server.url, '--model', 'm');
  expect((await readdir(place('edits'))).toSorted()).toEqual(['mine', 'young']);
  expect(await readdir(place('outputs'))).not.toContain('old');
});

test('verify reports that a log is unchanged, and its last seal', async () => {
  const { varve, id } = await worked();
  const { code, stdout } = await varve('verify', id.slice(0, 6));
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^OK: \d+ events verified, hash chain intact\. Head: \w{64}\nExcluded: bit rot and careless edits\. Not excluded: .*\n2 of 2 model requests/,
  );
});

test('an exported conversation is imported with the same seals, and only once', async () => {
  const { home, varve, id } = await worked();
  const file = join(home, 'conversation.varve');
  expect((await varve('export', id, file)).code).toBe(0);
  const elsewhere = `dir:${join(home, 'elsewhere')}`;
  expect(await varve('import', file, '--store', elsewhere)).toMatchObject({ code: 0, stdout: `${id}\n` });
  const head = /Head: (\w+)/.exec((await varve('verify', id)).stdout)?.[1] ?? '';
  expect((await varve('verify', id, '--store', elsewhere, '--head', head)).code).toBe(0);
  const [mine, theirs] = [await varve('show', id, '--json'), await varve('show', id, '--json', '--store', elsewhere)];
  expect(theirs.stdout.startsWith(mine.stdout)).toBe(true);
  expect(theirs.stdout.slice(mine.stdout.length)).toContain('varve.import');
  expect((await varve('import', file, '--store', elsewhere)).code).toBe(4);
});

test('an import that did not end is neither verified nor exported, and is not shown as whole', async () => {
  const { home, varve, id } = await worked();
  const database = new DatabaseSync(join(home, '.varve', 'varve.db'));
  database.prepare("UPDATE meta SET json = json_set(json, '$.importing', json('true'))").run();
  database.close();
  const sentence = `The import of conversation ${id} did not end: import it again.`;
  expect(await varve('verify', id)).toMatchObject({ code: 4, stdout: expect.stringContaining(sentence) });
  expect(JSON.parse((await varve('verify', id, '--json')).stdout)).toMatchObject({ unfinished: 'import' });
  for (const format of ['varve', 'v0']) {
    const exported = await varve('export', id, join(home, 'half'), '--format', format);
    expect(exported).toMatchObject({ code: 4, stderr: expect.stringContaining(sentence) });
  }
  expect(await readdir(home)).not.toContain('half');
  for (const form of [[], ['--full'], ['--json'], ['--messages']]) {
    const printed = await varve('show', id, ...form);
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining(sentence) });
  }
  expect((await varve('ls')).stdout).toContain('  importing  ');
});

test('an existing file is not overwritten, and a missing one is reported', async () => {
  const { home, varve, id } = await worked();
  const file = join(home, 'mine.txt');
  await writeFile(file, 'precious');
  const refused = await varve('export', id, file);
  expect([refused.code, refused.stderr.includes(file), await readFile(file, 'utf8')]).toEqual([2, true, 'precious']);
  const missing = await varve('import', join(home, 'nothing'));
  expect([missing.code, missing.stderr.includes('nothing')]).toEqual([2, true]);
});

test('a changed bundle is not imported', async () => {
  const { home, varve, id } = await worked();
  const file = join(home, 'conversation.varve');
  const { stdout } = await varve('export', id, '-');
  await writeFile(file, stdout.replace('hello', 'hallo'));
  const { code, stderr } = await varve('import', file, '--store', `dir:${join(home, 'elsewhere')}`);
  expect(code).toBe(4);
  expect(stderr).toContain('was changed');
});

test('verify names the edited event', async () => {
  const { home, varve, id } = await worked();
  const file = join(home, 'conversation.varve');
  const root = join(home, 'elsewhere');
  await varve('export', id, file);
  await varve('import', file, '--store', `dir:${root}`);
  const folder = join(root, id, 'events');
  const [, , name = ''] = (await readdir(folder)).toSorted();
  const event = join(folder, name);
  await writeFile(event, (await readFile(event, 'utf8')).replace('hello', 'hallo'));
  const { code, stdout } = await varve('verify', id, '--store', `dir:${root}`);
  expect(code).toBe(4);
  expect(stdout).toContain('Verification failed at event 2: ');
});

/** Copies the conversation into a directory store. */
async function inDirectory() {
  const { home, varve, id } = await worked();
  const root = join(home, 'elsewhere');
  await varve('export', id, join(home, 'conversation.varve'));
  const store = ['--store', `dir:${root}`];
  await varve('import', join(home, 'conversation.varve'), ...store);
  const at = async (...args: readonly string[]) => varve(...args, ...store);
  const names = (await readdir(join(root, id, 'events'))).toSorted();
  return { id, varve: at, folder: join(root, id), names };
}

test.for(['varve', 'chat', 'v0', 'otlp'])('a log that lost an event is not exported as %s', async (format) => {
  const { id, varve, folder, names } = await inDirectory();
  await rm(join(folder, 'events', names[3] ?? ''));
  const file = join(folder, 'export');
  const exported = await varve('export', id, file, '--format', format);
  expect([exported.code, exported.stderr]).toEqual([4, expect.stringContaining('Event 3 of conversation')]);
  expect(existsSync(file)).toBe(false);
});

test('a lost event is shown, refuses the next run with status 4, and is repaired', async () => {
  const { id, varve, folder, names } = await inDirectory();
  await rm(join(folder, 'events', names[3] ?? ''));
  const lost = `Event 3 of conversation ${id} is missing; ${names.length - 4} of the later ones are still in`;
  const printed = await varve('show', id);
  expect([printed.code, printed.stderr]).toEqual([0, expect.stringContaining(`Incomplete: ${lost}`)]);
  expect(await varve('verify', id)).toMatchObject({
    code: 4,
    stdout: expect.stringContaining(`Verification failed at event 3: ${names.length - 3} of ${names.length} sealed`),
  });
  const resumed = await varve('run', 'Continue.', '--resume', id, '--base-url', 'http://127.0.0.1:9', '--model', 'm');
  expect([resumed.code, resumed.stderr]).toEqual([4, expect.stringContaining(lost)]);
  expect(resumed.stderr).toContain('varve repair');
  const repaired = await varve('repair', id);
  const quarantine = join(folder, '.varve', 'quarantine');
  expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining(`in quarantine: ${quarantine}`)]);
  expect(await readdir(quarantine)).toHaveLength(names.length - 4);
  expect(repaired.stdout).toContain('Its settings, approvals and open calls end there too');
  expect((await varve('show', id, '--json')).stdout).toContain('"varve.import"');
  expect((await varve('verify', id)).code).toBe(0);
  expect(await varve('repair', id)).toMatchObject({ code: 0, stdout: 'Nothing to repair.\n' });
});

test('an unreadable event inside a log is named with the command that ends the log before it', async () => {
  const { id, varve, folder, names } = await inDirectory();
  await writeFile(join(folder, 'events', names[3] ?? ''), '{"id":');
  const command = `varve repair ${id} --from 3`;
  expect((await varve('show', id)).stderr).toContain(command);
  expect((await varve('show', id, '--json')).stderr).toContain(command);
  expect(await varve('verify', id)).toMatchObject({ code: 4, stderr: expect.stringContaining(command) });
  expect(await varve('repair', id)).toMatchObject({ code: 0, stderr: expect.stringContaining(command) });
  expect(await varve('export', id, '-')).toMatchObject({ code: 4, stderr: expect.stringContaining('is unreadable') });
  expect((await varve('repair', id, '--from', String(names.length))).code).toBe(2);
  expect((await varve('repair', id, '--from=-1')).code).toBe(2);
  expect((await varve('repair', id, '--from', '3')).stdout).toContain('The log ends before event 3 now.');
  expect(await readdir(join(folder, '.varve', 'quarantine'))).toHaveLength(names.length - 3);
  expect((await varve('verify', id)).code).toBe(0);
});

test('a bundle is imported with --trust only if one of the keys signed its last event', async () => {
  const { home, varve, id } = await worked();
  const file = join(home, 'conversation.varve');
  const trusted = (await varve('key')).stdout.trim();
  const other = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw';
  await varve('export', id, file);
  const into = async (name: string, ...keys: readonly string[]) => {
    const options = keys.flatMap((key) => ['--trust', key]);
    return (await varve('import', file, '--store', `dir:${join(home, name)}`, ...options)).code;
  };
  expect(await into('unsigned', trusted)).toBe(4);
  await using server = await scriptedServer([{ text: 'Done.' }]);
  await varve('run', 'Again.', '--resume', id, '--sign', '--base-url', server.url, '--model', 'm');
  const { stdout: verdict } = await varve('verify', id, '--trust', trusted);
  expect(verdict).toContain('Signed only with a later event: events 0 to ');
  await rm(file);
  await varve('export', id, file);
  expect(await into('other', other)).toBe(4);
  expect(await into('malformed', 'nonsense')).toBe(2);
  expect(await into('signed', other, trusted)).toBe(0);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(0, -1);
  const kept = lines.map((line) => `${JSON.stringify({ ...JSON.parse(line), statements: undefined })}\n`).join('');
  const sha256 = createHash('sha256').update(kept).digest('hex');
  await writeFile(file, `${kept}${JSON.stringify({ end: lines.length - 1, sha256 })}\n`);
  expect(await into('stripped', trusted)).toBe(4);
  expect((await varve('ls', '--store', `dir:${join(home, 'stripped')}`)).stdout).toBe('');
  expect(await into('untrusting')).toBe(0);
});

test('removed seals fail verification and refuse the next run until they are accepted', async () => {
  const { id, varve, folder } = await inDirectory();
  await rm(join(folder, '.varve', 'seals.jsonl'));
  expect(await varve('verify', id)).toMatchObject({ code: 4, stdout: expect.stringContaining('has no seal') });
  const resumed = await varve('run', 'Continue.', '--resume', id, '--base-url', 'http://127.0.0.1:9', '--model', 'm');
  expect([resumed.code, resumed.stderr]).toEqual([4, expect.stringContaining('--accept-unsealed')]);
  expect((await varve('repair', id, '--accept-unsealed')).stdout).toContain('are accepted as they are');
  const { code, stdout } = await varve('verify', id, '--require-seals');
  expect([code, stdout]).toEqual([0, expect.stringContaining('accepted without seals')]);
});

test('a scrubbed log verifies, and the requests that contained the secret are counted', async () => {
  const { home, varve, id } = await worked();
  const signer = ed25519Signer(new Uint8Array(32).fill(1));
  {
    await using store = await sqliteStore({ path: join(home, '.varve', 'varve.db') });
    expect(await scrub(store, { secrets: ['Print hello'], signer })).toMatchObject({ failed: [], held: [] });
  }
  const { code, stdout } = await varve('verify', id);
  expect(stdout).toMatch(new RegExp(`Secrets were scrubbed from events? [\\d, ]+ by ${signer.did}\\.`));
  expect(stdout).toContain('0 of 2 model requests reproduced, 2 contained what was scrubbed.');
  expect(code).toBe(0);
  expect(JSON.parse((await varve('verify', id, '--json')).stdout)).toMatchObject({
    requests: { checked: 2, scrubbed: 2, differing: [] },
  });
});

test('a conversation of a process that is gone with its machine is refused until it is taken over', async () => {
  const { home, varve, id } = await worked();
  const database = new DatabaseSync(join(home, '.varve', 'varve.db'));
  database.exec(`UPDATE conversation SET lease_holder = 'x', lease_host = 'elsewhere', lease_pid = 17, lease_boot = '',
    lease_until = 4000000000000`);
  database.close();
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const resume = async () => varve('run', 'Again.', '--resume', id, '--base-url', server.url, '--model', 'm');
  const refused = await resume();
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('varve repair --take-over')]);
  expect((await varve('repair', id)).code).toBe(4);
  expect((await varve('repair', id, '--take-over')).code).toBe(0);
  expect((await resume()).code).toBe(0);
});

test('verify fails for keys that did not sign, malformed keys, unknown seals and missing options', async () => {
  const { varve, id } = await worked();
  const key = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw';
  const head = /Head: (\w+)/.exec((await varve('verify', id)).stdout)?.[1] ?? '';
  const codes = async (...args: readonly string[]) => (await varve('verify', ...args)).code;
  expect(await codes('--trust', key, id)).toBe(4);
  expect(await codes('--trust', key, '--trust', key, id)).toBe(4);
  expect(await varve('verify', id, '--trust', 'nonsense')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'nonsense' is invalid. It must be an Ed25519 public key") as unknown,
  });
  expect(await codes(id, '--require-signed')).toBe(2);
  expect(await codes(id, '--require-seals')).toBe(0);
  expect(await codes(id, '--head', 'a'.repeat(64))).toBe(4);
  expect(await codes(id, '--head', 'abc')).toBe(2);
  const known = await varve('verify', id, '--head', head);
  expect([known.code, known.stdout]).toEqual([0, expect.stringContaining('covered by the known seal')]);
});

test('settings next to a log that were changed have no effect, and verify and run name them', async () => {
  const { home, varve, id } = await worked();
  const database = new DatabaseSync(join(home, '.varve', 'varve.db'));
  const sql = "UPDATE meta SET json = replace(json, 'ConfirmRisky', 'NeverConfirm')";
  expect(database.prepare(sql).run().changes).toBe(1);
  database.close();
  const { code, stdout } = await varve('verify', id);
  expect([code, stdout]).toEqual([0, expect.stringContaining('different from it: agent.confirmation_policy. The log')]);
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const run = await varve('run', 'Again.', '--resume', id, '--base-url', server.url, '--model', 'm');
  expect([run.code, run.stderr]).toEqual([
    0,
    expect.stringContaining('differs from its log: agent.confirmation_policy.'),
  ]);
});

test('verify names a snapshot that differs from the log, and fails', async () => {
  const { home, varve, id } = await worked();
  const path = join(home, '.varve', 'varve.db');
  const other = 'b'.repeat(32);
  {
    await using store = await sqliteStore({ path });
    const agent = defineAgent({ model: scriptedModel([]), tools: () => [] });
    await using conversation = await Conversation.create({ agent, store, workspace: home, id: other });
    for (let count = 0; count < 100; count++) await conversation.send('Go.');
  }
  expect((await varve('verify', other)).code).toBe(0);
  const database = new DatabaseSync(path);
  const sql = 'UPDATE snapshot SET conversation = (SELECT key FROM conversation WHERE id = ?)';
  expect(database.prepare(sql).run(id).changes).toBe(1);
  database.close();
  const { code, stdout } = await varve('verify', id);
  expect([code, stdout]).toEqual([
    4,
    expect.stringMatching(/Snapshots that differ from the log: conversation of \d+ events/),
  ]);
  const { snapshots } = JSON.parse((await varve('verify', id, '--json')).stdout) as { snapshots: unknown };
  expect(snapshots).toMatchObject([{ name: 'conversation', state: 'differs' }]);
});
