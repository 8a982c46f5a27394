import { describe, expect, test } from 'vitest';
import { activeBranch, type ForeignLog, type InteropError } from '../../src/index.ts';
import { eventDirectoryFormat } from '../../src/v0/event-directory.ts';
import { pickledStateFormat } from '../../src/v0/pickled-state.ts';
import { countedIds, filesOf, v0Fixture } from '../fixture.ts';

const records = v0Fixture('every-kind');
const metadata = {
  conversation_id: 'abc123',
  title: 'Fix the test',
  user_id: 'me',
  pr_number: [7],
  custom: { a: null },
};
const directory: Record<string, string> = {
  ...Object.fromEntries(records.map((record) => [`events/${String(record['id'])}.json`, JSON.stringify(record)])),
  'metadata.json': JSON.stringify(metadata),
};

async function read(files: Readonly<Record<string, string | undefined>>): Promise<ForeignLog> {
  const [log] = (await eventDirectoryFormat.read?.(filesOf('abc123', files), { newId: countedIds() })) ?? [];
  if (!log) throw new Error('The directory has no log.');
  return log;
}

async function written({ entries, title }: ForeignLog): Promise<Readonly<Record<string, unknown>>> {
  const { events } = await activeBranch(entries);
  const output = eventDirectoryFormat.write?.({ id: 'abc123', ...(title !== undefined && { title }), events });
  return Object.fromEntries((output?.files ?? []).map(({ path, text }) => [path, JSON.parse(text) as unknown]));
}

describe('a V0 directory', () => {
  test('is written as it was read, with its pages', async () => {
    const log = await read(directory);
    expect(log).toMatchObject({ id: 'abc123', title: 'Fix the test', problems: [] });
    const files = await written(log);
    for (const [path, text] of Object.entries(directory)) expect(files[path], path).toEqual(JSON.parse(text));
    const pages = Object.keys(files).filter((path) => path.startsWith('event_cache/'));
    expect(pages).toEqual(['event_cache/0-25.json', 'event_cache/25-50.json', 'event_cache/50-75.json']);
    expect(files['event_cache/25-50.json']).toEqual(records.slice(25, 50));
  });

  test('is complete if files are missing that the cache contains', async () => {
    const { 'events/3.json': _missing, ...rest } = directory;
    const pages = { 'event_cache/0-25.json': JSON.stringify(records.slice(0, 25)) };
    expect(await written(await read({ ...rest, 'events/4.json': '{"id"', ...pages }))).toMatchObject({
      'events/3.json': records[3],
      'events/4.json': records[4],
    });
  });

  test('has gaps that are skipped, and broken files that are reported', async () => {
    const log = await read({
      'events/7.json': directory['events/0.json'],
      'events/9.json': '{',
      'events/11.json': undefined,
    });
    expect(log.problems).toEqual([
      { place: 'events/11.json', reason: 'It is not UTF-8 text.' },
      { place: 'events/9.json', reason: 'It is not JSON.' },
    ]);
    expect(log.entries.map(({ kind }) => kind)).toContain('SystemPromptEvent');
  });

  test('with a page at another start is read by the ids of its records', async () => {
    const page = JSON.stringify(records.slice(3, 28));
    expect(Object.keys(await written(await read({ 'event_cache/3-28.json': page })))).toContain('events/27.json');
  });

  test('without events is invalid', async () => {
    const broken = read({ 'events/0.json': '{' });
    await expect(broken).rejects.toMatchObject({ code: 'invalid' } satisfies Partial<InteropError>);
  });

  test('of another program is not one', async () => {
    expect(await eventDirectoryFormat.matches?.(filesOf('x', { 'events/event-00000-a.json': '{}' }))).toBe(false);
    expect(await eventDirectoryFormat.matches?.(filesOf('x', { 'events/0.json': '{}' }))).toBe(true);
  });
});

describe('a pickled state', () => {
  test('next to the events is reported and not read', async () => {
    const log = await read({ ...directory, 'agent_state.pkl': undefined });
    expect(log.problems).toEqual([{ place: 'agent_state.pkl', reason: expect.stringContaining('Python pickle') }]);
  });

  test.for([
    ['agent_state.pkl', 'anything'],
    ['state.txt', 'gASVCgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOU'],
  ] as const)('in %s is refused with the reason', async ([name, text]) => {
    const files = filesOf(name, { [name]: text });
    expect(await pickledStateFormat.matches?.(files)).toBe(true);
    await expect(pickledStateFormat.read?.(files, { newId: countedIds() })).rejects.toThrow(
      `${name} is not imported. It is a Python pickle`,
    );
  });

  test('is not assumed for other text', async () => {
    expect(await pickledStateFormat.matches?.(filesOf('a.json', { 'a.json': '[]' }))).toBe(false);
  });
});
