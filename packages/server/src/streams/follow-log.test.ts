import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { memoryStore } from '@varve/storage';
import { rowsOf, testId } from '../../test/support/conversation-of.ts';
import { testServices } from '../../test/support/socket-server.ts';
import { followLog, type Sink } from './follow-log.ts';
import type { Frame } from './frame.ts';
import { LiveLog } from './live-log.ts';
import type { StreamStart } from './start.ts';
import { transientEvents } from './transient-events.ts';

const { user } = eventFactory();

/** A client that reads one frame of its history after the other, when the test allows it. */
function steppedSink() {
  const frames: Frame[] = [];
  const closed = new AbortController();
  const steps: (() => void)[] = [];
  let reached = Promise.withResolvers<void>();
  let isFree = false;
  const sink: Sink = {
    send: (frame) => void frames.push(frame),
    async drained() {
      if (isFree) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      steps.push(resolve);
      reached.resolve();
      await promise;
    },
    fail: () => closed.abort(),
    closed: closed.signal,
  };
  return {
    frames,
    sink,
    close: () => closed.abort(),
    /** Waits until the client has received a frame of its history. */
    async waiting(): Promise<void> {
      if (steps.length === 0) await reached.promise;
    },
    step(): void {
      reached = Promise.withResolvers();
      steps.shift()?.();
    },
    /** Reads everything from now on. */
    free(): void {
      isFree = true;
      this.step();
    },
  };
}

test('events, and the end of a run, that are reported while the history is sent follow it in order', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  await log.append(rowsOf([user('0'), user('1')]));
  const { streams, feed } = testServices(store);
  using use = await streams.use(testId(1));
  const client = steppedSink();
  const following = followLog(use.log, client.sink, { history: 'all' });
  for (let seq = 0; seq < 20; seq += 1) {
    await client.waiting();
    if (seq < 18) await log.append(rowsOf([user(String(seq + 2))]));
    if (seq === 9) feed.publish(testId(1), { kind: 'full_state' });
    client.step();
  }
  await following;
  expect(client.frames.map(({ seq }) => seq)).toEqual([
    undefined,
    ...Array.from({ length: 20 }, (_, seq) => seq),
    19,
    undefined,
  ]);
  expect(client.frames.at(-1)?.plain?.toString()).toContain('full_state');
  client.close();
});

test('events that are delivered in the turn in which the history ends are not lost', async () => {
  for (let settled = 0; settled < 32; settled += 1) {
    const store = memoryStore();
    await using log = await store.create(testId(1), {});
    await log.append(rowsOf([user('0')]));
    const { streams } = testServices(store);
    using use = await streams.use(testId(1));
    const client = steppedSink();
    const delivered = Promise.withResolvers<void>();
    use.log.add({ send: ({ seq }) => void (seq === 3 && delivered.resolve()), fail: delivered.reject });
    const following = followLog(use.log, client.sink, { history: 'all' });
    await client.waiting();
    const appended = log.append(rowsOf([user('1'), user('2'), user('3')]));
    // The history ends after a different number of the promises by which the log delivers its events.
    for (let n = 0; n < settled; n += 1) await Promise.resolve();
    client.free();
    await Promise.all([appended, delivered.promise, following]);
    const sent = client.frames.filter(({ plain }) => plain !== undefined);
    expect(sent.map(({ seq }) => seq)).toEqual([undefined, 0, 1, 2, 3]);
    client.close();
  }
});

test.for<StreamStart>([
  { history: 'none' },
  { history: 'after', seq: 0 },
  // The clocks of replicas may differ.
  { history: 'since', timestamp: '9999' },
])('events that are delivered while the whole state for a client with the start %j is read are sent', async (start) => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  await log.append(rowsOf([user('0')]));
  const delivered = Promise.withResolvers<void>();
  using live = new LiveLog({
    reader: log,
    next: 1,
    feed: testServices(store).feed,
    transient: transientEvents(Date.now),
    onStored: ({ seq }) => seq === 2 && delivered.resolve(),
    async fullState() {
      await log.append(rowsOf([user('1'), user('2')]));
      await delivered.promise;
      return '{}';
    },
  });
  const client = steppedSink();
  client.free();
  await followLog(live, client.sink, start);
  expect(client.frames.map(({ seq }) => seq)).toEqual([undefined, 1, 2, 2]);
  client.close();
});

test('a client that leaves while its history is sent receives nothing more and is not added', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  await log.append(rowsOf([user('0'), user('1')]));
  const { streams } = testServices(store);
  using use = await streams.use(testId(1));
  const client = steppedSink();
  const following = followLog(use.log, client.sink, { history: 'all' });
  await client.waiting();
  client.close();
  client.step();
  await following;
  await log.append(rowsOf([user('2')]));
  expect(client.frames).toHaveLength(2);
});

test('a frame is encoded once for all clients of a form', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const { streams } = testServices(store);
  using use = await streams.use(testId(1));
  const seen: (readonly [Buffer | undefined, Buffer, Buffer])[] = [];
  const { promise: both, resolve } = Promise.withResolvers<void>();
  for (const _ of ['one', 'other']) {
    use.log.add({
      send({ plain, numbered, serverSent }) {
        seen.push([plain, numbered, serverSent]);
        if (seen.length === 2) resolve();
      },
      fail: resolve,
    });
  }
  await log.append(rowsOf([user('0')]));
  await both;
  const [one = [], other = []] = seen;
  expect(one.map((bytes, index) => bytes === other[index])).toEqual([true, true, true]);
});

test('a start after a timestamp is found from the end of the log, also if timestamps are slightly out of order', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const events = Array.from({ length: 1000 }, (_, index) => user(String(index)));
  const [late] = events.splice(950, 1);
  events.splice(930, 0, ...(late ? [late] : []));
  await log.append(rowsOf(events));
  const { streams } = testServices(store);
  using use = await streams.use(testId(1));
  const client = steppedSink();
  const sink = { ...client.sink, drained: async () => undefined };
  await followLog(use.log, sink, { history: 'since', timestamp: late?.timestamp ?? '' });
  // Event 930, and those that followed it in time.
  expect(client.frames.flatMap(({ seq }) => seq ?? []).slice(0, 2)).toEqual([930, 951]);
  client.close();
});
