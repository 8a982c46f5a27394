import assert from 'node:assert/strict';
import { eventCodec, type BaseEvent } from '@varve/events';
import { ActionEvent, builtinKinds, Condensation, SystemPromptEvent } from '@varve/events/kinds';
import {
  cutPoints,
  foldEvents,
  isResult,
  checkMessages,
  messageBuilder,
  repliesOf,
  viewProjection,
  type View,
} from '@varve/events/projections';
import type { CondensationPlan, CondenseContext, Condenser, NothingToCondense } from '../condenser.ts';
import { openingLength } from '../opening.ts';
import { segmentFor } from '../segment.ts';

/** Input of a check: a condenser and a view of built-in kinds. */
export interface CondenserSubject {
  readonly condenser: Condenser;
  readonly view: View;
  /**
   * True if the condenser meets every demand that can be met: it cuts wherever two events after the opening (everything
   * up to the first user message) may be forgotten. The plans of other condensers are checked, too.
   */
  readonly meetsDemands: boolean;
}

/** Check that every condenser must pass. */
export interface CondenserCheck {
  readonly title: string;
  run(subject: CondenserSubject): Promise<void>;
}

type Answer = View | CondensationPlan | NothingToCondense;
type Reason = CondenseContext['reason'];

const codec = eventCodec(builtinKinds);

/** Checks of the `Condenser` contract, for any view. A failing check throws an AssertionError. */
export const condenserContract: readonly CondenserCheck[] = [
  {
    title: 'changes nothing in the view',
    async run(subject) {
      const { events } = subject.view;
      const before = [...events];
      const texts = events.map((event) => codec.encode(event));
      await answers(subject);
      assert.deepEqual(
        events.map((event) => codec.encode(event)),
        texts,
      );
      assert.ok(events.length === before.length && events.every((event, index) => event === before[index]));
    },
  },
  {
    title: 'returns the view or a plan for a check, and a plan or a reason for a demand',
    async run(subject) {
      const [check, demand] = await answers(subject);
      assert.ok(check === subject.view || planOf(check), 'a check returned another view or nothing');
      assert.ok('kind' in demand, 'a demand returned a view');
      assert.ok(demand.kind === 'condensation' || demand.reason !== '', 'the reason is empty');
    },
  },
  {
    title: 'forgets events of the view, in view order, each once',
    run: (subject) =>
      eachPlan(subject, ({ forget }) => {
        const ids = new Set(forget);
        assert.ok(forget.length > 0, 'the plan forgets nothing');
        const inOrder = subject.view.events.flatMap(({ id }) => (ids.has(id) ? [id] : []));
        assert.deepEqual(forget, inOrder);
      }),
  },
  {
    title: 'never forgets the system prompt',
    run: (subject) =>
      eachPlan(subject, ({ forget }) => {
        const prompts = subject.view.events.filter((event) => SystemPromptEvent.is(event) && forget.includes(event.id));
        assert.deepEqual(prompts, []);
      }),
  },
  {
    title: 'forgets a reply and its results together or not at all',
    run: (subject) =>
      eachPlan(subject, ({ forget }) => {
        const { events } = subject.view;
        for (const { members } of repliesOf(events)) {
          const forgotten = members.filter((index) => forget.includes(events[index]?.id ?? ''));
          assert.ok(forgotten.length === 0 || forgotten.length === members.length, 'a reply was split');
        }
      }),
  },
  {
    title: 'keeps pending replies, and keeps or forgets whole loops with thinking blocks',
    run: (subject) =>
      eachPlan(subject, ({ forget }) => {
        const { events } = subject.view;
        const points = cutPoints(events);
        for (const [index, start] of points.entries()) {
          const steps = events
            .slice(start, points[index + 1])
            .filter((event) => ActionEvent.is(event) || isResult(event));
          const forgotten = steps.filter(({ id }) => forget.includes(id));
          assert.ok(
            forgotten.length === 0 || forgotten.length === steps.length,
            'a range without cut points was split',
          );
          assert.ok(forgotten.length === 0 || index + 1 < points.length, 'a pending reply was forgotten');
        }
      }),
  },
  {
    title: 'inserts the summary into the remaining view',
    run: (subject) =>
      eachPlan(subject, ({ forget, summary, summaryOffset }) => {
        assert.equal(summary === undefined, summaryOffset === undefined);
        assert.notEqual(summary?.trim(), '');
        const remaining = subject.view.events.length - forget.length;
        assert.ok(summaryOffset === undefined || (summaryOffset >= 0 && summaryOffset <= remaining));
      }),
  },
  {
    title: 'makes the view smaller',
    run: (subject) =>
      eachPlan(subject, (plan) => assert.ok(applied(subject.view, plan).length < subject.view.events.length)),
  },
  {
    title: 'leaves a view whose messages are legal',
    run: (subject) =>
      eachPlan(subject, (plan) => {
        assert.deepEqual(checkMessages(messageBuilder(codec)(applied(subject.view, plan))), []);
      }),
  },
  {
    title: 'meets every demand that can be met, unless it declares otherwise',
    async run(subject) {
      const { events } = subject.view;
      const all = { first: openingLength(events), target: events.length, limit: events.length, least: 2 };
      const isPossible = subject.meetsDemands && segmentFor(events, all) !== undefined;
      const [, demand] = await answers(subject);
      assert.ok(planOf(demand) ?? !isPossible, 'a cut is possible but was not made');
    },
  },
  {
    title: 'throws with the code aborted for an aborted signal',
    async run({ condenser, view }) {
      const signal = AbortSignal.abort();
      for (const reason of ['check', 'demand'] as const) {
        await assert.rejects(condenser.condense(view, { signal, reason }), { code: 'aborted' });
      }
    },
  },
];

function ask({ condenser, view }: CondenserSubject, reason: Reason): Promise<Answer> {
  return condenser.condense(view, { signal: new AbortController().signal, reason });
}

async function answers(subject: CondenserSubject): Promise<readonly [Answer, Answer]> {
  return [await ask(subject, 'check'), await ask(subject, 'demand')];
}

function planOf(answer: Answer): CondensationPlan | undefined {
  return 'kind' in answer && answer.kind === 'condensation' ? answer : undefined;
}

async function eachPlan(subject: CondenserSubject, check: (plan: CondensationPlan) => void): Promise<void> {
  for (const answer of await answers(subject)) {
    const plan = planOf(answer);
    if (plan) check(plan);
  }
}

/** Returns the events of the view after the plan is appended as a condensation. */
function applied(
  { events }: View,
  { forget, summary, summaryOffset, responseId = '' }: CondensationPlan,
): readonly BaseEvent[] {
  const event = Condensation.create(
    {
      forgotten_event_ids: [...forget],
      ...(summary !== undefined && { summary }),
      ...(summaryOffset !== undefined && { summary_offset: summaryOffset }),
      llm_response_id: responseId,
    },
    { id: 'ffffffff-ffff', timestamp: '2026-01-01T12:00:00.000000' },
  );
  return foldEvents(viewProjection(codec), [...events, event]).events;
}
