import { expect, test } from 'vitest';
import { filesFact, type FileChange } from '../facts/files.ts';
import { rewindFact } from '../facts/rewind.ts';
import { foldEvents } from '../fold/projection.ts';
import { eventFactory } from '../testing/event-factory.ts';
import { filesProjection } from './files.ts';

const { stamp } = eventFactory();
const found: FileChange = { path: 'a', mode: '100644', before: 'h1', after: 'h1', content: 'one' };
const changed: FileChange = { path: 'a', mode: '100755', before: 'h1', after: 'h2', content: 'two' };
const removed: FileChange = { path: 'a', before: 'h2', after: null };
const created: FileChange = { path: 'b', mode: '100644', before: null, after: 'h1' };

test('files have their last change, the state before the first one, and contents by hash', () => {
  const events = [
    filesFact.create({ outside: true, changes: [found] }, stamp()),
    filesFact.create({ action_id: 'x', changes: [changed] }, stamp()),
    filesFact.create({ action_id: 'y', changes: [removed, created] }, stamp()),
  ];
  const { records, contents } = foldEvents(filesProjection, events);
  const eventId = events[2]?.id;
  expect([...records.values()]).toEqual([
    { change: removed, eventId, seq: 2, first: 'h1' },
    { change: created, eventId, seq: 2, first: null },
  ]);
  expect([...contents]).toEqual([
    ['h1', 0],
    ['h2', 1],
  ]);
});

test('a return to an earlier state is unfinished until its changes are stored', () => {
  const start = rewindFact.create({ head: 0, changes: [removed], at: 1 }, stamp());
  const end = filesFact.create({ rewind_id: start.id, changes: [removed] }, stamp());
  expect(foldEvents(filesProjection, [start]).rewind).toEqual({ id: start.id, changes: [removed] });
  expect(foldEvents(filesProjection, [start, end]).rewind).toBeUndefined();
});
