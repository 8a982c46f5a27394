import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { activeBranch, formats, readLogs } from '../../src/index.ts';
import { writeChat } from '../../src/chat/write-chat.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';

/** Files in the forms that Claude Code 2.1 and Codex 0.104 write, with contents made up for these tests. */
const files = ['claude-code', 'codex'].flatMap((format) =>
  readdirSync(new URL(`../fixtures/${format}`, import.meta.url)).map((name) => ({ format, name })),
);

async function readFile(format: string, name: string) {
  const input = filesOf(name, { [name]: fixtureText(`${format}/${name}`) });
  const recognised: string[] = [];
  for (const candidate of formats) if (await candidate.matches?.(input)) recognised.push(candidate.name);
  expect(recognised[0]).toBe(format);
  const [log] =
    (await formats.find((candidate) => candidate.name === format)?.read?.(input, { newId: countedIds() })) ?? [];
  if (!log) throw new Error('Nothing was read.');
  const { events } = await activeBranch(log.entries);
  return { log, messages: writeChat(events).chat.messages };
}

test.for(files)('$name of $format is read as the messages of its golden file', async ({ format, name }) => {
  const { log, messages } = await readFile(format, name);
  const { id, title, problems, dropped, entries } = log;
  expect(problems).toEqual([]);
  const golden = fileURLToPath(new URL(`../golden/sessions/${name.replace(/\.jsonl$/, '.json')}`, import.meta.url));
  const events = entries.map((entry): unknown => JSON.parse(entry.text));
  const text = JSON.stringify({ id, title, dropped, messages, events }, undefined, 2);
  await expect(`${text}\n`).toMatchFileSnapshot(golden);
});

test.for([...files, { format: 'mcpbench', name: 'history.jsonl' }])(
  'a last line of $name that is cut off hides none before it, and is reported',
  async ({ format, name }) => {
    const lines = fixtureText(`${format}/${name}`).trimEnd().split('\n');
    const last = lines.pop() ?? '';
    const read = async (text: string) => {
      const [log] = await readLogs(filesOf(name, { [name]: text }), { newId: countedIds() });
      return { ids: log?.entries.map(({ id }) => id), places: log?.problems.map(({ place }) => place) };
    };
    const whole = await read(lines.join('\n'));
    const torn = await read([...lines, last.slice(0, last.length / 2)].join('\n'));
    expect(whole.ids?.length).toBeGreaterThan(0);
    expect(torn).toEqual({ ids: whole.ids, places: [`line ${lines.length + 1}`, ...(whole.places ?? [])] });
  },
);

test('messages that a compaction preserved follow its summary, also those that were written again after it', async () => {
  const { messages } = await readFile('claude-code', 'compacted.jsonl');
  expect(messages.map((message) => 'content' in message && message.content)).toEqual([
    expect.stringContaining('Summary: a plan.'),
    'An answer of the second try.',
    'Continue.',
    'Continued.',
    'After the compaction.',
    'The last answer.',
  ]);
});

test('a session whose records name a parent that is missing keeps the messages before it, and reports them', async () => {
  const lines = fixtureText('claude-code/session.jsonl')
    .split('\n')
    .filter((line) => !line.includes('"uuid":"q1"'));
  const input = filesOf('s.jsonl', { 's.jsonl': lines.join('\n') });
  const [log] =
    (await formats.find(({ name }) => name === 'claude-code')?.read?.(input, { newId: countedIds() })) ?? [];
  expect(log?.entries).toHaveLength(17);
  expect(log?.problems).toEqual([
    { place: 'line 13', reason: 'It is taken for a parent that is missing.', isRead: true },
  ]);
});

const line = (role: string, content: string) =>
  JSON.stringify({ type: role, sessionId: 's', message: { role, content } });
const row = (type: string, payload: object) => JSON.stringify({ type, payload });

test('a file without parents is read in order', async () => {
  const input = filesOf('s.jsonl', { 's.jsonl': [line('user', 'One.'), line('assistant', 'Two.')].join('\n') });
  const [log] =
    (await formats.find(({ name }) => name === 'claude-code')?.read?.(input, { newId: countedIds() })) ?? [];
  expect(log?.entries).toHaveLength(2);
});

test('a summary that only its server can decrypt replaces nothing', async () => {
  const text = [
    row('session_meta', { id: 'r1' }),
    row('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] }),
    row('compacted', { message: '', replacement_history: [{ type: 'compaction', encrypted_content: 'gAAA' }] }),
  ].join('\n');
  const input = filesOf('r.jsonl', { 'r.jsonl': text });
  const [log] = (await formats.find(({ name }) => name === 'codex')?.read?.(input, { newId: countedIds() })) ?? [];
  expect(log?.entries.map(({ kind }) => kind)).toEqual(['MessageEvent']);
  expect(log?.dropped).toMatchObject([{ subject: 'encrypted summaries', count: 1 }]);
});
