import assert from 'node:assert/strict';
import type { BaseEvent } from '../src/define-event.ts';
import { stateProjections, type StateProjections } from './state-projections.ts';
import type { EventCodec } from '../src/codec.ts';
import { messageBuilder } from '../src/messages/message-builder.ts';
import { checkMessages } from '../src/messages/check-messages.ts';
import { Timeline, type ReadEntries } from '../src/fold/timeline.ts';
import type { Json } from '../src/json.ts';
import { attemptChanges } from '../src/testing/attempt-changes.ts';
import type { Log } from '../src/testing/arbitrary-log.ts';

/** Check that holds for every log. */
export interface LogCheck {
  readonly title: string;
  run(log: Log, codec: EventCodec): Promise<void>;
}

/** Checks that hold for every log and every set of kinds. A failing check throws an AssertionError. */
export const logContract: readonly LogCheck[] = [
  {
    title: 'every prefix folds the same event by event, from scratch and from a snapshot',
    async run(log, codec) {
      const growing = timelineFor(codec);
      const middle = Math.floor(log.length / 2);
      let resumed = growing;
      for (const entry of log) {
        const prefix = log.slice(0, entry.seq + 1);
        await pushOrRefold(growing, codec, prefix);
        if (entry.seq === middle) resumed = restoredCopy(growing, codec);
        else if (entry.seq > middle) await pushOrRefold(resumed, codec, prefix);
        if (entry.seq % 3 !== 0 && entry.seq !== log.length - 1) continue;
        const scratch = timelineFor(codec);
        await scratch.load(readerOf(log), entry.seq + 1);
        assert.deepEqual(allViews(growing, codec), allViews(scratch, codec));
        if (entry.seq > middle) assert.deepEqual(allViews(resumed, codec), allViews(scratch, codec));
      }
    },
  },
  {
    title: 'the messages of every prefix are legal',
    async run(log, codec) {
      const timeline = timelineFor(codec);
      const project = messageBuilder(codec);
      for (const { seq } of log) {
        await pushOrRefold(timeline, codec, log.slice(0, seq + 1));
        assert.deepEqual(checkMessages(project(viewOf(timeline))), []);
      }
    },
  },
  {
    title: 'a change of returned events, views, messages or snapshots changes no later state or request',
    async run(log, codec) {
      const timeline = timelineFor(codec);
      const project = messageBuilder(codec);
      for (const { seq } of log) {
        await pushOrRefold(timeline, codec, log.slice(0, seq + 1));
        if (seq % 3 !== 0) continue;
        attemptChanges(allViews(timeline, codec));
        attemptChanges(project(viewOf(timeline)));
        attemptChanges(timeline.snapshot());
      }
      const untouched = timelineFor(codec);
      await untouched.load(readerOf(log));
      assert.deepEqual(allViews(timeline, codec), allViews(untouched, codec));
      assert.deepEqual(project(viewOf(timeline)), messageBuilder(codec)(viewOf(untouched)));
    },
  },
  {
    title: 'a reused message builder returns the messages of a new one',
    async run(log, codec) {
      const timeline = timelineFor(codec);
      const project = messageBuilder(codec);
      for (const { seq } of log) {
        await pushOrRefold(timeline, codec, log.slice(0, seq + 1));
        const events = viewOf(timeline);
        assert.deepEqual(project(events), messageBuilder(codec)(events));
      }
    },
  },
];

type FullTimeline = Timeline<StateProjections>;

function timelineFor(codec: EventCodec): FullTimeline {
  return new Timeline({ codec, projections: stateProjections(codec) });
}

function viewOf(timeline: FullTimeline): readonly BaseEvent[] {
  return timeline.read('view').events;
}

function readerOf(log: Log): ReadEntries {
  return (from) => log.slice(from);
}

async function pushOrRefold(timeline: FullTimeline, codec: EventCodec, prefix: Log): Promise<void> {
  const entry = prefix.at(-1);
  if (entry && !timeline.push(codec.read(entry.text), entry.seq, entry.id)) await timeline.refold(readerOf(prefix));
}

function restoredCopy(timeline: FullTimeline, codec: EventCodec): FullTimeline {
  const copy = timelineFor(codec);
  assert.ok(copy.restore(JSON.parse(JSON.stringify(timeline.snapshot())) as Json));
  return copy;
}

function allViews(timeline: FullTimeline, codec: EventCodec): unknown {
  const names = Object.keys(stateProjections(codec)) as (keyof StateProjections)[];
  return [timeline.head, timeline.leafId, ...names.map((name) => timeline.read(name))];
}
