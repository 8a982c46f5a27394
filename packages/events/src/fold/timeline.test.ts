import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import type { Json } from '../json.ts';
import type { Projection } from './projection.ts';
import { taskListProjection } from '../projections/task-list.ts';
import { Timeline, type LogEntry } from './timeline.ts';
import { viewProjection } from '../projections/view.ts';

const codec = eventCodec(builtinKinds);

/**
 * `id<parent` is a message, `=id<parent` a state update, `>leaf` moves the head, `!id<parent` is invalid. No `<`: no
 * parent.
 */
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
  ['the parents define the branch', ['a', 'b<a', 'c<b'], 'abc', 'c'],
  ['the last event is the head of its branch', ['a', 'b<a', 'c<a'], 'ac', 'c'],
  ['a second root starts an empty branch', ['a', 'b<a', 'c<__root__', 'd<c'], 'cd', 'd'],
  ['state updates may come first', ['=s', '=t<__root__', 'a<__root__', 'b<a'], 'ab', 'b'],
  ['a state update never moves the head', ['a', '=s<a', 'b<a', '=t<b'], 'ab', 'b'],
  ['a child of a state update of the head continues the branch', ['a', '=s<a', 'b<s'], 'ab', 'b'],
  ['an event with the same parent as a hook is not on the branch', ['a', 'hook<a', 'b<a', 'c<b'], 'abc', 'c'],
  ['the head can move back', ['a', 'b<a', 'c<b', '>a<c', 'd<a'], 'ad', 'd'],
  ['the head can move without a later event', ['a', 'b<a', 'c<b', '>b<c'], 'ab', 'b'],
  ['the head can move before all events', ['a', 'b<a', '><b'], '', undefined],
  ['the event after an empty head is a new root', ['a', 'b<a', '><b', 'c<__root__'], 'c', 'c'],
  ['the head can move back to an abandoned branch', ['a', 'b<a', '>a<b', 'c<a', '>b<c'], 'ab', 'b'],
  ['a move to the current head changes nothing', ['a', 'b<a', '>b<b', 'c<b'], 'abc', 'c'],
  ['a move to an unknown event empties the branch', ['a', 'b<a', '>zzz<b'], '', 'zzz'],
  ['an unknown parent is no parent', ['a', 'b<zzz', 'c<b'], 'bc', 'c'],
  ['a later parent is unknown', ['a<b', 'b<a', 'c<b'], 'abc', 'c'],
  ['an event that is its own parent has no parent', ['a', 'b<b', 'c<b'], 'bc', 'c'],
  ['an unreadable event keeps its position in the chain', ['a', '!b<a', 'c<b'], 'ac', 'c'],
  ['an unreadable event without an id is not in the tree', ['a', '!', 'c'], 'ac', 'c'],
  ['an empty parent is unknown', ['a', 'b<'], 'b', 'b'],
  ['a parent id refers to the last event with the id', ['a', 'b<a', 'b<__root__', 'c<b'], 'bc', 'c'],
  ['a later state update takes over an id', ['a', 'b<a', '=s<b', '=s<a', 'c<s'], 'ac', 'c'],
  ['a later state update does not take over the head', ['a', 'b<a', '=b<a'], 'ab', 'b'],
  ['without a parent, an event follows the move before it', ['a', 'b<a', '>a<b', 'c'], 'abc', 'c'],
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

test('a hook event on another branch blocks its message, event by event and from scratch', async () => {
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

test('push reports that a refold is required, and reading before it fails', async () => {
  const entries = log('a', 'b<a', 'c<a');
  const timeline = timelineFor();
  const results = entries.map(({ text, seq }) => timeline.push(codec.read(text), seq));
  expect(results).toEqual([true, true, false]);
  expect(() => timeline.read('view')).toThrow('refold');
  expect(() => timeline.snapshot()).toThrow('refold');
  await timeline.refold((from) => entries.slice(from));
  expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a', 'c']);
});

test('events must be pushed in order', () => {
  const [, second] = log('a', 'b');
  expect(() => timelineFor().push(codec.read(second?.text ?? ''), 1)).toThrow(
    new RangeError('Event 1 cannot follow -1.'),
  );
});

test('load stops before a seq and continues from there', async () => {
  const entries = log('a', 'b', 'c');
  const timeline = timelineFor();
  await timeline.load((from) => entries.slice(from), 2);
  expect([timeline.head, timeline.leafId]).toEqual([2, 'b']);
  const reads: number[] = [];
  await timeline.load((from) => {
    reads.push(from);
    return entries.slice(from);
  });
  expect([reads, timeline.head]).toEqual([[2], 3]);
});

test('a log with branches is read twice', async () => {
  const entries = log('a', 'b<a', 'c<a', 'd<c', '>b<d');
  const timeline = timelineFor();
  const reads: number[] = [];
  await timeline.load((from) => {
    reads.push(from);
    return entries.slice(from);
  });
  expect([reads, timeline.leafId]).toEqual([[0, 0], 'b']);
});

test('unreadable text has the id of its log entry', async () => {
  const entries = log('a', 'b<a', 'c<b');
  const broken = entries.map((entry) => (entry.seq === 1 ? { ...entry, kind: '', text: '{' } : entry));
  const timeline = await loaded(broken);
  expect(timeline.read('view').events.map(({ id }) => id)).toEqual(['a', 'c']);
});

test('events that are pushed during a refold are not lost', async () => {
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

test('a failed refold must be repeated', async () => {
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

test('a restored snapshot continues at its position', async () => {
  const timeline = await loaded(log('a', '=s<a', 'b<s'));
  const copy = timelineFor();
  expect(copy.restore(JSON.parse(JSON.stringify(timeline.snapshot())) as Json)).toBe(true);
  expect([copy.head, copy.leafId]).toEqual([3, 'b']);
  expect(copy.read('view')).toEqual(timeline.read('view'));
});

test('a snapshot of other projections or versions is rejected and changes nothing', async () => {
  const timeline = await loaded(log('a'));
  const json = timeline.snapshot();
  const raised = new Timeline({
    codec,
    projections: { view: { ...viewProjection(codec), version: 99 }, taskList: taskListProjection },
  });
  const fewer = new Timeline({ codec, projections: { view: viewProjection(codec) } });
  expect([raised.restore(json), fewer.restore(json), raised.head]).toEqual([false, false, 0]);
});

test.for<Json>([null, 7, {}, { next: 1, head: {}, states: [] }, { next: -1 }])('%j is not a snapshot', (json) => {
  expect(timelineFor().restore(json)).toBe(false);
});

/** Yields the JSON with each of its values replaced. */
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

test('a snapshot with any changed value is rejected', async () => {
  const { snapshot } = await snapshotOf(log('a', 'b<a', '=s<b', 'c<b'));
  const broken = [0, '', 'a', null, [], {}, [['a', 'b']], 1e9].flatMap((by) => replaced(snapshot, by));
  const changed = broken.filter((json) => JSON.stringify(json) !== JSON.stringify(snapshot));
  expect(changed.length).toBeGreaterThan(150);
  expect(changed.filter((json) => timelineFor().restore(json))).toEqual([]);
});

test.for([
  ['["ab","c"]', true],
  ['["a","bc"]', false],
  ['["abc"]', false],
  ['[["ab","c"]]', false],
  ['[["ab"],"c"]', false],
] as const)('a snapshot of two texts with %s in their place is restored: %s', ([other, isRestored]) => {
  const texts: Projection<Json, Json> = {
    name: 'texts',
    version: 1,
    scope: 'log',
    initial: () => ['ab', 'c'],
    apply: (state) => state,
    read: (state) => state,
    encode: (state) => state,
    decode: (json) => json,
  };
  const timeline = new Timeline({ codec, projections: { texts } });
  const json = JSON.stringify(timeline.snapshot()).replace('["ab","c"]', other);
  expect(timeline.restore(JSON.parse(json) as Json)).toBe(isRestored);
});

test('a snapshot with a missing or additional field is rejected', async () => {
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
  ['of a longer log that was truncated', ['a', 'b<a', 'c<b'], ['a', 'b<a']],
  ['of a log that was restarted', ['a', 'b<a'], []],
] as const)('a snapshot %s is replaced by the log', async ([, other, position]) => {
  const { snapshot } = await snapshotOf(log(...other));
  const entries = log(...position);
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

test('of the events in a snapshot only the last is read again', async () => {
  const { snapshot, entries } = await snapshotOf(log('a', 'b<a', 'c<b'));
  const timeline = timelineFor();
  timeline.restore(snapshot);
  const reads: number[] = [];
  await timeline.load((from) => {
    reads.push(from);
    return [...entries, ...log('', '', '', 'd<c').slice(3)].slice(from);
  });
  await timeline.load((from) => {
    reads.push(from);
    return [];
  });
  expect([reads, timeline.head, timeline.leafId]).toEqual([[2, 4], 4, 'd']);
});

async function snapshotOf(entries: readonly LogEntry[]) {
  const json = JSON.stringify((await loaded(entries)).snapshot());
  return { entries, snapshot: JSON.parse(json) as Readonly<Record<string, Json>> };
}
