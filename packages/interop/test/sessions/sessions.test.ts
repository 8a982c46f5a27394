import { expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog, type LogFormat } from '../../src/index.ts';
import { writeChat } from '../../src/chat/write-chat.ts';
import { claudeCodeFormat } from '../../src/claude-code/session-format.ts';
import { codexFormat } from '../../src/codex/rollout-format.ts';
import { countedIds, filesOf } from '../fixture.ts';

async function readLines(format: LogFormat, records: readonly object[], name = 'session.jsonl'): Promise<ForeignLog> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const files = filesOf(name, { [name]: text });
  const matching: LogFormat[] = [];
  for (const candidate of formats) if (await candidate.matches?.(files)) matching.push(candidate);
  expect(matching[0]?.name).toBe(format.name);
  const [log] = (await format.read?.(files, { newId: countedIds() })) ?? [];
  if (!log) throw new Error('Nothing was read.');
  return log;
}

async function chatOf({ entries }: ForeignLog): Promise<readonly object[]> {
  const { events } = await activeBranch(entries);
  return writeChat(events).chat.messages;
}

const common = { sessionId: 's1', cwd: '/srv/work', version: '2.0.0', isSidechain: false };
const claude = (uuid: string, parentUuid: string | null, fields: object) => ({
  ...common,
  uuid,
  parentUuid,
  timestamp: '2026-01-02T03:04:05.678Z',
  ...fields,
});
const asked = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
const replied = (id: string, ...content: readonly object[]) => ({
  type: 'assistant',
  message: { id, role: 'assistant', content },
});
const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const result = (id: string, content: unknown) => asked([{ type: 'tool_result', tool_use_id: id, content }]);

test('a Claude Code session becomes a conversation: one reply per message id, results in the order of the calls', async () => {
  const log = await readLines(claudeCodeFormat, [
    { type: 'summary', summary: 'List files', leafUuid: 'g' },
    claude('a', null, asked('List the files.')),
    claude('b', 'a', replied('m1', { type: 'thinking', thinking: 'Hm.', signature: 'sig' })),
    claude('c', 'b', replied('m1', { type: 'text', text: 'I look.' })),
    claude('d', 'c', replied('m1', use('t1'))),
    claude('e', 'd', result('t1', 'a.txt')),
    claude('f', 'e', replied('m1', use('t2'))),
    claude('g', 'f', result('t2', [{ type: 'text', text: 'b.txt' }])),
    claude('h', 'g', replied('m2', { type: 'text', text: 'Two files.' })),
  ]);
  expect(log).toMatchObject({ id: 's1', title: 'List files', problems: [], dropped: [] });
  expect(await chatOf(log)).toMatchObject([
    { role: 'user', content: 'List the files.' },
    { role: 'assistant', content: 'I look.', tool_calls: [{ id: 't1' }, { id: 't2' }] },
    { role: 'tool', content: 'a.txt', tool_call_id: 't1' },
    { role: 'tool', content: 'b.txt', tool_call_id: 't2' },
    { role: 'assistant', content: 'Two files.' },
  ]);
  expect(log.entries[1]?.text).toContain('"thinking":"Hm.","signature":"sig"');
});

test('the branch of the last message is read, and the others are counted', async () => {
  const log = await readLines(claudeCodeFormat, [
    claude('a', null, asked('One.')),
    claude('b', 'a', replied('m1', { type: 'text', text: 'First answer.' })),
    claude('s', 'a', { ...asked('For a sub-agent.'), isSidechain: true }),
    claude('c', 'a', asked('Two.')),
    claude('d', 'c', replied('m2', { type: 'text', text: 'Second answer.' })),
  ]);
  expect(log.dropped).toMatchObject([{ count: 2 }]);
  expect(JSON.stringify(await chatOf(log))).not.toMatch(/First answer|sub-agent/);
});

test('a compaction replaces what came before it', async () => {
  const log = await readLines(claudeCodeFormat, [
    claude('a', null, asked('One.')),
    claude('b', 'a', replied('m1', { type: 'text', text: 'Answer.' })),
    claude('c', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'b' }),
    claude('d', 'c', { ...asked('A summary.'), isCompactSummary: true }),
    claude('e', 'd', replied('m2', { type: 'text', text: 'I continue.' })),
  ]);
  expect(log.entries).toHaveLength(4);
  expect(await chatOf(log)).toEqual([
    { role: 'user', content: 'A summary.' },
    { role: 'assistant', content: 'I continue.' },
  ]);
});

test('a compaction that names a missing record follows the message before it in the file', async () => {
  const log = await readLines(claudeCodeFormat, [
    claude('a', null, asked('One.')),
    claude('b', 'a', replied('m1', { type: 'text', text: 'Answer.' })),
    claude('x', 'b', asked('Two.')),
    claude('c', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'gone' }),
    claude('d', 'c', { ...asked('A summary.'), isCompactSummary: true }),
    claude('e', 'd', replied('m2', { type: 'text', text: 'I continue.' })),
  ]);
  expect(log.entries).toHaveLength(5);
  expect(log.problems).toEqual([expect.objectContaining({ place: 'line 3', isRead: true })]);
  expect(await chatOf(log)).toMatchObject([{ content: 'A summary.' }, { content: 'I continue.' }]);
});

test('a session whose records are their own ancestors ends', async () => {
  const log = await readLines(claudeCodeFormat, [
    claude('a', 'b', asked('One.')),
    claude('b', 'a', replied('m1', { type: 'text', text: 'Answer.' })),
  ]);
  expect(await chatOf(log)).toHaveLength(2);
});

test('of parallel calls every result is read, although each is a child of the record of its own call', async () => {
  const log = await readLines(claudeCodeFormat, [
    claude('a', null, asked('List the files.')),
    claude('b', 'a', replied('m1', use('t1'))),
    claude('c', 'b', replied('m1', use('t2'))),
    claude('d', 'b', { ...result('t1', 'a.txt'), sourceToolAssistantUUID: 'b' }),
    claude('e', 'c', { ...result('t2', 'b.txt'), sourceToolAssistantUUID: 'c' }),
    claude('f', 'e', replied('m2', { type: 'text', text: 'Two files.' })),
  ]);
  expect(log).toMatchObject({ problems: [], dropped: [] });
  expect(await chatOf(log)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 't1' }, { id: 't2' }] },
    { role: 'tool', content: 'a.txt', tool_call_id: 't1' },
    { role: 'tool', content: 'b.txt', tool_call_id: 't2' },
    { role: 'assistant', content: 'Two files.' },
  ]);
});

test('titles, queued messages and failed replies of newer sessions are read', async () => {
  const log = await readLines(claudeCodeFormat, [
    { type: 'file-history-snapshot', messageId: 'a', snapshot: {}, isSnapshotUpdate: false },
    { type: 'mode', mode: 'normal', sessionId: 's1' },
    claude('a', null, asked('One.')),
    claude('b', 'a', {
      type: 'attachment',
      attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'Two.' },
    }),
    claude('c', 'b', { type: 'attachment', attachment: { type: 'hook_success' } }),
    claude('d', 'c', { ...replied('x', { type: 'text', text: 'API Error: 529' }), isApiErrorMessage: true }),
    claude('e', 'd', replied('m1', { type: 'text', text: 'Answer.' })),
    { type: 'ai-title', aiTitle: 'Generated', sessionId: 's1' },
    { type: 'custom-title', customTitle: 'Mine', sessionId: 's1' },
  ]);
  expect(log).toMatchObject({ id: 's1', title: 'Mine', problems: [], dropped: [] });
  expect(log.entries.map(({ kind }) => kind)).toContain('ConversationErrorEvent');
  expect(await chatOf(log)).toMatchObject([
    { role: 'user', content: 'One.\nTwo.' },
    { role: 'assistant', content: 'Answer.' },
  ]);
});

const codex = (type: string, payload: object) => ({ timestamp: '2026-01-02T03:04:05.678Z', type, payload });
const item = (payload: object) => codex('response_item', payload);
const messageOf = (role: string, text: string) =>
  item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] });

test('a Codex rollout becomes a conversation: reasoning, text and calls in a row are one reply', async () => {
  const log = await readLines(codexFormat, [
    codex('session_meta', { id: 'r1', cwd: '/srv/work', instructions: 'Be brief.' }),
    messageOf('user', 'List the files.'),
    codex('event_msg', { type: 'user_message', message: 'List the files.' }),
    codex('turn_context', { model: 'm' }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'x' }),
    item({ type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
    item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' }),
    item({ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
    item({ type: 'custom_tool_call_output', call_id: 'c2', output: { content: 'No.', success: false } }),
    item({ type: 'ghost_snapshot' }),
    messageOf('assistant', 'One file.'),
  ]);
  expect(log).toMatchObject({ id: 'r1', problems: [], dropped: [{ subject: 'ghost_snapshot', count: 1 }] });
  expect(await chatOf(log)).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'List the files.' },
    { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'shell' } }, { id: 'c2' }] },
    { role: 'tool', content: 'a.txt' },
    { role: 'tool' },
    { role: 'assistant', content: 'One file.' },
  ]);
  expect(log.entries.some(({ text }) => text.includes('"is_error":true'))).toBe(true);
});

test('a compacted rollout and one without envelopes are read', async () => {
  const compacted = await readLines(codexFormat, [
    codex('session_meta', { id: 'r1' }),
    messageOf('user', 'One.'),
    codex('compacted', { message: 'A summary.' }),
    messageOf('assistant', 'I continue.'),
  ]);
  expect(await chatOf(compacted)).toMatchObject([{ content: 'A summary.' }, { content: 'I continue.' }]);
  const bare = await readLines(
    codexFormat,
    [
      { id: 'r2', timestamp: '2025-05-05T05:05:05Z', instructions: null },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
      { type: 'local_shell_call', call_id: 'c1', status: 'completed', action: { type: 'exec', command: ['ls'] } },
      { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
    ],
    'rollout-2025-05-05.jsonl',
  );
  expect(bare.id).toBe('r2');
  expect((await chatOf(bare)).map((message) => 'role' in message && message.role)).toEqual([
    'user',
    'assistant',
    'tool',
  ]);
});

test('turns that the user took back are in the log, and not in the view', async () => {
  const rolledBack = (num_turns: unknown) => codex('event_msg', { type: 'thread_rolled_back', num_turns });
  const log = await readLines(codexFormat, [
    codex('session_meta', { session_id: 'r3', instructions: 'Be brief.' }),
    codex('session_meta', { id: 'r1', instructions: 'Of the rollout that this one continues.' }),
    messageOf('user', '<environment_context>here</environment_context>'),
    messageOf('user', 'One.'),
    messageOf('assistant', 'First answer.'),
    messageOf('user', 'Two.'),
    item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }),
    item({ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
    rolledBack(1),
    rolledBack('many'),
    messageOf('user', 'Three.'),
  ]);
  expect(log.id).toBe('r3');
  expect(log.entries.some(({ text }) => text.includes('Two.'))).toBe(true);
  const messages = await chatOf(log);
  expect(messages[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
  expect(JSON.stringify(messages)).toMatch(/environment_context.*One.*First answer.*Three/);
  expect(JSON.stringify(messages)).not.toMatch(/Two|shell|continues/);
});
