import { expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent, PauseEvent } from '@varve/events/kinds';
import { memoryStore, type EventLog } from '@varve/storage';
import { conversationTimeline } from './conversation-state.ts';
import { statusDraft, type Draft } from './drafts.ts';
import { Journal } from './journal.ts';

const codec = eventCodec(builtinKinds);
const pause: Draft = { make: (stamp) => PauseEvent.create({}, stamp) };

async function journalOn(log: EventLog, options: { readonly mask?: <T>(value: T) => T } = {}): Promise<Journal> {
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(from));
  return new Journal({
    log,
    codec,
    timeline,
    mask: options.mask ?? ((value) => value),
    metaOf: ({ execution }) => ({ status: execution }),
    now: () => 0,
  });
}

async function freshLog() {
  const store = memoryStore();
  return { store, log: await store.create('c', {}) };
}

test('events of one append form a chain, and a state update is a child of the event before it', async () => {
  const { log } = await freshLog();
  const journal = await journalOn(log);
  const [first, update, second] = await journal.emit([pause, statusDraft('paused'), pause]);
  expect(first?.parent_id).toBeUndefined();
  expect(update?.parent_id).toBe(first?.id);
  expect(second?.parent_id).toBe(first?.id);
});

test('a state update that comes first makes the next event an explicit root', async () => {
  const { log } = await freshLog();
  const journal = await journalOn(log);
  const [, second] = await journal.emit([statusDraft('running'), pause]);
  expect(second?.parent_id).toBe('__root__');
});

test('concurrent emits keep the order of their calls', async () => {
  const { log } = await freshLog();
  const journal = await journalOn(log);
  const all = await Promise.all(Array.from({ length: 20 }, () => journal.emit([pause])));
  const stored = await Array.fromAsync(log.range(0), ({ id }) => id);
  expect(stored).toEqual(all.flatMap((events) => events.map(({ id }) => id)));
});

test('the listing changes in the append that changes the status, and only then', async () => {
  const { store, log } = await freshLog();
  const metas: unknown[] = [];
  const spied: EventLog = Object.assign(Object.create(log) as EventLog, {
    append: (...[events, options]: Parameters<EventLog['append']>) => {
      metas.push(options?.meta);
      return log.append(events, options);
    },
  });
  const journal = await journalOn(spied);
  await journal.emit([statusDraft('running')]);
  await journal.emit([statusDraft('running')]);
  await journal.emit([pause, statusDraft('finished')]);
  expect(metas).toEqual([{ status: 'running' }, undefined, { status: 'finished' }]);
  expect(await store.summary('c')).toMatchObject({ meta: { status: 'finished' } });
});

test('an append that failed but reached the log is folded before the next one', async () => {
  const { log } = await freshLog();
  let isLost = true;
  const flaky: EventLog = Object.assign(Object.create(log) as EventLog, {
    append: async (...args: Parameters<EventLog['append']>) => {
      const seqs = await log.append(...args);
      if (isLost) throw new Error('the answer was lost');
      return seqs;
    },
  });
  const journal = await journalOn(flaky);
  await expect(journal.emit([pause])).rejects.toThrow('lost');
  expect(journal.timeline.head).toBe(0);
  isLost = false;
  await journal.emit([pause]);
  expect(journal.timeline.head).toBe(2);
  const [first, second] = await Array.fromAsync(log.range(0));
  expect(second?.parentId).toBe(first?.id);
});

const mask = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('hush', '***')) as T;

test('the folded event is the stored one: masked', async () => {
  const { log } = await freshLog();
  const journal = await journalOn(log, { mask });
  const title: Draft = { make: (stamp) => ConversationStateUpdateEvent.create({ key: 'title', value: 'hush' }, stamp) };
  const [event] = await journal.emit([title]);
  expect(event).toMatchObject({ value: '***' });
  expect((await log.at(0)).text).toContain('***');
  expect(journal.timeline.read('status').title).toBe('***');
});
