import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import type { Json } from '../json.ts';
import { taskListProjection } from '../projections/task-list.ts';
import { Timeline, type LogEntry } from './timeline.ts';
import { viewProjection } from '../projections/view.ts';

const codec = eventCodec(builtinKinds);

/** `id<parent` is a message; `=id<parent` a state update; `>leaf` moves the head; `!id<parent` is broken. No `<`: no parent. */
function log(...lines: readonly string[]): LogEntry[] {
  return lines.map((line, seq) => {
    const [, mark = '', name = '', parentId] = /^([=>!]?)([^<]*)(?:<(.*))?$/.exec(line) ?? [];
    const isUpdate = mark === '=' || mark === '>';
    const id = mark === '>' ? `move${seq}` : name;
    const kind = isUpdate ? 'ConversationStateUpdateEvent' : 'MessageEvent';
    const value = mark === '>' ? { key: 'leaf_event_id', value: name === '' ? null : name } : { key: 'k', value: 1 };
    const message = { llm_message: mark === '!' ? 7 : { role: 'user', content: name } };
    const link = parentId === undefined ? {} : { parent_id: parentId };
    const record = { id, timestamp: 't', source: 'user', ...link, ...(isUpdate ? value : message), kind };
    return { seq, id, kind, parentId, text: JSON.stringify(record) };
  });
}

const timelineFor = () =>
  new Timeline({ codec, projections: { view: viewProjection(codec), taskList: taskListProjection } });

async function loaded(entries: readonly LogEntry[]) {
  const timeline = timelineFor();
  await timeline.load((from) => entries.slice(from));
  return timeline;
}

test.for([
  ['a log without parents is one branch', ['a', 'b', '=s', 'c'], 'abc', 'c'],
  ['parents make the branch', ['a', 'b<a', 'c<b'], 'abc', 'c'],
  ['the last event is the head of its branch', ['a', 'b<a', 'c<a'], 'ac', 'c'],
  ['a second root starts from nothing', ['a', 'b<a', 'c<__root__', 'd<c'], 'cd', 'd'],
  ['state updates may come first', ['=s', '=t<__root__', 'a<__root__', 'b<a'], 'ab', 'b'],
  ['a state update never moves the head', ['a', '=s<a', 'b<a', '=t<b'], 'ab', 'b'],
  ['what hangs from a side leaf of the head goes on', ['a', '=s<a', 'b<s'], 'ab', 'b'],
  ['an event beside the subject of a hook is off the branch', ['a', 'hook<a', 'b<a', 'c<b'], 'abc', 'c'],
  ['the head can move back', ['a', 'b<a', 'c<b', '>a<c', 'd<a'], 'ad', 'd'],
  ['the head can move without anything after it', ['a', 'b<a', 'c<b', '>b<c'], 'ab', 'b'],
  ['the head can move to before everything', ['a', 'b<a', '><b'], '', undefined],
  ['what follows an empty head is a new root', ['a', 'b<a', '><b', 'c<__root__'], 'c', 'c'],
  ['the head can move back to an abandoned branch', ['a', 'b<a', '>a<b', 'c<a', '>b<c'], 'ab', 'b'],
  ['a move to where the head is changes nothing', ['a', 'b<a', '>b<b', 'c<b'], 'abc', 'c'],
  ['a move to an unknown event leaves nothing', ['a', 'b<a', '>zzz<b'], '', 'zzz'],
  ['an unknown parent is no parent', ['a', 'b<zzz', 'c<b'], 'bc', 'c'],
  ['a parent that comes later is unknown', ['a<b', 'b<a', 'c<b'], 'abc', 'c'],
  ['its own parent is unknown', ['a', 'b<b', 'c<b'], 'bc', 'c'],
  ['a broken event holds its place in the chain', ['a', '!b<a', 'c<b'], 'ac', 'c'],
  ['a broken event without a name is beside the tree', ['a', '!', 'c'], 'ac', 'c'],
  ['an empty parent is unknown', ['a', 'b<'], 'b', 'b'],
  ['the last event of a name is meant', ['a', 'b<a', 'b<__root__', 'c<b'], 'bc', 'c'],
  ['a later side leaf takes over a name', ['a', 'b<a', '=s<b', '=s<a', 'c<s'], 'ac', 'c'],
  ['a later side leaf does not take over the head', ['a', 'b<a', '=b<a'], 'ab', 'b'],
  ['no parent after a move means the move itself', ['a', 'b<a', '>a<b', 'c'], 'abc', 'c'],
] as const)('%s', async ([, lines, branch, leaf]) => {
  const entries = log(...lines);
  const timeline = await loaded(entries);
  expect(
    timeline
      .read('view')
      .events.map(({ id }) => id)
      .join(''),
  ).toBe(branch);
  expect(timeline.leafId).toBe(leaf);
  await timeline.refold((from) => entries.slice(from));
  expect(
    timeline
      .read('view')
      .events.map(({ id }) => id)
      .join(''),
  ).toBe(branch);
});

test('a hook that stands beside the message it blocked blocks it, event by event and from scratch', async () => {
  const [first, second] = log('a', 'm<a');
  if (!first || !second) throw new Error('The log is empty.');
  const fields = { hook_event_type: 'UserPromptSubmit', hook_command: 'h', success: true, blocked: true, exit_code: 2 };
  const base = { id: 'h', timestamp: 't', source: 'hook', parent_id: 'a', ...fields, message_id: 'm' };
  const kind = 'HookExecutionEvent';
  const hook = { seq: 1, id: 'h', kind, parentId: 'a', text: JSON.stringify({ ...base, kind }) };
  const entries = [first, hook, { ...second, seq: 2 }];
  const growing = timelineFor();
  for (const { text, seq, id } of entries) {
    if (!growing.push(codec.read(text), seq, id)) await growing.refold((from) => entries.slice(from));
  }
  for (const timeline of [growing, await loaded(entries)]) {
    expect(timeline.leafId).toBe('m');
    expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a']);
  }
});

test('pushing tells when to fold again, and reading before that fails', async () => {
  const entries = log('a', 'b<a', 'c<a');
  const timeline = timelineFor();
  const told = entries.map(({ text, seq }) => timeline.push(codec.read(text), seq));
  expect(told).toEqual([true, true, false]);
  expect(() => timeline.read('view')).toThrow('refold');
  expect(() => timeline.snapshot()).toThrow('refold');
  await timeline.refold((from) => entries.slice(from));
  expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a', 'c']);
});

test('events must come in order', () => {
  const [, second] = log('a', 'b');
  expect(() => timelineFor().push(codec.read(second?.text ?? ''), 1)).toThrow(
    new RangeError('Event 1 cannot follow -1.'),
  );
});

test('load stops before a seq, and goes on from there', async () => {
  const entries = log('a', 'b', 'c');
  const timeline = timelineFor();
  await timeline.load((from) => entries.slice(from), 2);
  expect([timeline.head, timeline.leafId]).toEqual([2, 'b']);
  const asked: number[] = [];
  await timeline.load((from) => {
    asked.push(from);
    return entries.slice(from);
  });
  expect([asked, timeline.head]).toEqual([[2], 3]);
});

test('a text that is no event takes the id that the log gives it', async () => {
  const entries = log('a', 'b<a', 'c<b');
  const broken = entries.map((entry) => (entry.seq === 1 ? { ...entry, kind: '', text: '{' } : entry));
  const timeline = await loaded(broken);
  expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a', 'c']);
});

test('what is pushed while it folds again is not lost', async () => {
  const entries = log('a', 'b<a', 'c<a', 'd<c');
  const timeline = timelineFor();
  for (const { text, seq } of entries.slice(0, 3)) timeline.push(codec.read(text), seq);
  let reads = 0;
  await timeline.refold(async function* read(from) {
    reads++;
    if (reads === 2) timeline.push(codec.read(entries[3]?.text ?? ''), 3);
    yield* entries.slice(from, timeline.head);
  });
  expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
});

test('a fold that failed half way must be done again', async () => {
  const entries = log('a', 'b<a');
  const timeline = await loaded(entries);
  let reads = 0;
  const failing = () => {
    if (++reads === 2) throw new Error('disk');
    return entries;
  };
  await expect(timeline.refold(failing)).rejects.toThrow('disk');
  expect(() => timeline.read('view')).toThrow('refold');
});

test('a snapshot goes on where it was taken', async () => {
  const timeline = await loaded(log('a', '=s<a', 'b<s'));
  const copy = timelineFor();
  expect(copy.restore(JSON.parse(JSON.stringify(timeline.snapshot())) as Json)).toBe(true);
  expect([copy.head, copy.leafId]).toEqual([3, 'b']);
  expect(copy.read('view')).toEqual(timeline.read('view'));
});

test('a snapshot of other projections or versions is refused and changes nothing', async () => {
  const timeline = await loaded(log('a'));
  const json = timeline.snapshot();
  const raised = new Timeline({
    codec,
    projections: { view: { ...viewProjection(codec), version: 99 }, taskList: taskListProjection },
  });
  const fewer = new Timeline({ codec, projections: { view: viewProjection(codec) } });
  expect([raised.restore(json), fewer.restore(json), raised.head]).toEqual([false, false, 0]);
});

test.for<Json>([null, 7, {}, { next: 1, head: {}, states: [] }, { next: -1 }])('%j is no snapshot', (json) => {
  expect(timelineFor().restore(json)).toBe(false);
});

/** Every place of a JSON, as the whole with that place replaced. */
function replaced(json: Json | undefined, by: Json): Json[] {
  if (typeof json !== 'object' || json === null) return [by];
  if (Array.isArray(json)) {
    return [by, ...json.flatMap((item, at) => replaced(item, by).map((other) => json.with(at, other)))];
  }
  const inside = Object.entries(json).flatMap(([key, item]) =>
    replaced(item, by).map((other) => Object.fromEntries([...Object.entries(json), [key, other]])),
  );
  return [by, ...inside];
}

test('a snapshot with anything else at any of its places is refused', async () => {
  const { snapshot } = await snapshotOf(log('a', 'b<a', '=s<b', 'c<b'));
  const broken = [0, '', 'a', null, [], {}, [['a', 'b']], 1e9].flatMap((by) => replaced(snapshot, by));
  const changed = broken.filter((json) => JSON.stringify(json) !== JSON.stringify(snapshot));
  expect(changed.length).toBeGreaterThan(150);
  expect(changed.filter((json) => timelineFor().restore(json))).toEqual([]);
});

test('a snapshot that lost or gained a field is refused', async () => {
  const { snapshot } = await snapshotOf(log('a'));
  for (const key of Object.keys(snapshot)) {
    const { [key]: lost, ...rest } = snapshot;
    expect([lost === undefined, timelineFor().restore(rest)]).toEqual([false, false]);
  }
  expect(timelineFor().restore({ ...snapshot, more: 1 })).toBe(false);
});

test.for([
  ['of another log that is longer', ['x', 'y<x', 'z<y'], ['a', 'b<a']],
  ['of another log that is as long', ['x', 'y<x'], ['a', 'b<a']],
  ['of another log that is shorter', ['x'], ['a', 'b<a', 'c<b']],
  ['of a longer log that lost its end', ['a', 'b<a', 'c<b'], ['a', 'b<a']],
  ['of a log that was begun again', ['a', 'b<a'], []],
] as const)('a snapshot %s gives way to the log', async ([, other, own]) => {
  const { snapshot } = await snapshotOf(log(...other));
  const entries = log(...own);
  const timeline = timelineFor();
  expect(timeline.restore(snapshot)).toBe(true);
  await timeline.load((from) => entries.slice(from));
  const expected = await loaded(entries);
  expect([timeline.head, timeline.leafId]).toEqual([expected.head, expected.leafId]);
  expect([timeline.read('view'), timeline.read('taskList')]).toEqual([
    expected.read('view'),
    expected.read('taskList'),
  ]);
  expect(timeline.snapshot()).toEqual(expected.snapshot());
});

test('of the events that a snapshot folded only the last is read', async () => {
  const { snapshot, entries } = await snapshotOf(log('a', 'b<a', 'c<b'));
  const timeline = timelineFor();
  timeline.restore(snapshot);
  const asked: number[] = [];
  await timeline.load((from) => {
    asked.push(from);
    return [...entries, ...log('', '', '', 'd<c').slice(3)].slice(from);
  });
  await timeline.load((from) => {
    asked.push(from);
    return [];
  });
  expect([asked, timeline.head, timeline.leafId]).toEqual([[2, 4], 4, 'd']);
});

async function snapshotOf(entries: readonly LogEntry[]) {
  const json = JSON.stringify((await loaded(entries)).snapshot());
  return { entries, snapshot: JSON.parse(json) as Readonly<Record<string, Json>> };
}
