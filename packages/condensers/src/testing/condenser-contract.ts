import assert from 'node:assert/strict';
import { eventCodec } from '@varve/events';
import { ActionEvent, builtinKinds, ObservationEvent, SystemPromptEvent } from '@varve/events/kinds';
import {
  checkMessages,
  cutPoints,
  isMasked,
  isResult,
  messageBuilder,
  repliesOf,
  type View,
} from '@varve/events/projections';
import { planIn, type CondensationPlan, type CondenseContext, type Condenser, type Plan } from '../condenser.ts';
import { CondenserError } from '../error.ts';
import { applyPlan } from '../plans/apply-plan.ts';
import { openingLength } from '../plans/opening.ts';
import { planOfAnswer } from '../plans/plan-of-view.ts';
import { segmentFor } from '../plans/segment.ts';
import { condenseContext, fixedReply, type CondenserReply } from './condense-context.ts';

/** Input of a check: a condenser and a view of built-in kinds. */
export interface CondenserSubject {
  readonly condenser: Condenser;
  readonly view: View;
  /**
   * True if the condenser meets every demand that can be met: it cuts wherever two events after the opening (everything
   * up to the first user message) may be forgotten. The plans of other condensers are checked, too.
   */
  readonly meetsDemands: boolean;
  /** Limit of a request in tokens; a token is four characters of an event's JSON. */
  readonly maxInputTokens?: number;
  /** Usable answer of the model, for condensers that need more than a text. */
  readonly reply?: CondenserReply;
}

/** Check that every condenser must pass. */
export interface CondenserCheck {
  readonly title: string;
  run(subject: CondenserSubject): Promise<void>;
}

const codec = eventCodec(builtinKinds);
const reasons = ['check', 'demand'] as const;
/** Number of checks after which a condenser must leave a view alone that nothing is added to. */
const maxRepetitions = 5;

/** Checks of the `Condenser` contract, for any view. A failing check throws an AssertionError. */
export const condenserContract: readonly CondenserCheck[] = [
  {
    title: 'has a spec of JSON with a kind',
    async run({ condenser: { spec } }) {
      assert.deepEqual(JSON.parse(JSON.stringify(spec)), spec);
      const { kind } = { kind: undefined, ...(spec as Readonly<Record<string, unknown>>) };
      assert.equal(typeof kind, 'string');
    },
  },
  {
    title: 'changes nothing in the view',
    async run(subject) {
      const { events } = subject.view;
      const before = [...events];
      const texts = events.map((event) => codec.encode(event));
      await plansOf(subject);
      assert.deepEqual(
        events.map((event) => codec.encode(event)),
        texts,
      );
      assert.ok(events.length === before.length && events.every((event, index) => event === before[index]));
    },
  },
  {
    title: 'answers a demand with a change or a reason, and a check never with a reason',
    async run(subject) {
      const { condenser, view } = subject;
      const check = await condenser.condense(view, contextFor(subject, 'check'));
      assert.ok(!('kind' in check) || planIn(check), 'a check returned a reason');
      const demand = await condenser.condense(view, contextFor(subject, 'demand'));
      assert.ok(demand !== view, 'a demand returned the view');
      assert.ok(!('kind' in demand) || demand.kind !== 'nothing' || demand.reason !== '', 'the reason is empty');
    },
  },
  {
    title: 'forgets events of the view, in view order, each once',
    run: (subject) =>
      eachCondensation(subject, ({ forget }) => {
        const ids = new Set(forget);
        assert.ok(forget.length > 0, 'the plan forgets nothing');
        const inOrder = subject.view.events.flatMap(({ id }) => (ids.has(id) ? [id] : []));
        assert.deepEqual(forget, inOrder);
      }),
  },
  {
    title: 'never forgets the system prompt',
    run: (subject) =>
      eachCondensation(subject, ({ forget }) => {
        const prompts = subject.view.events.filter((event) => SystemPromptEvent.is(event) && forget.includes(event.id));
        assert.deepEqual(prompts, []);
      }),
  },
  {
    title: 'forgets a reply and its results together or not at all',
    run: (subject) =>
      eachCondensation(subject, ({ forget }) => {
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
      eachCondensation(subject, ({ forget }) => {
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
    title: 'inserts a summary with text into the remaining view',
    run: (subject) =>
      eachCondensation(subject, ({ forget, summary, summaryOffset }) => {
        assert.equal(summary === undefined, summaryOffset === undefined);
        assert.notEqual(summary?.trim(), '');
        const remaining = subject.view.events.length - forget.length;
        assert.ok(summaryOffset === undefined || (summaryOffset >= 0 && summaryOffset <= remaining));
      }),
  },
  {
    title: 'masks observations of the view that are not masked or forgotten, each once',
    run: (subject) =>
      eachPlan(subject, (plan) => {
        const ids = (plan.masks ?? []).flatMap(({ eventIds }) => eventIds);
        assert.equal(new Set(ids).size, ids.length, 'an observation was masked twice');
        assert.ok(plan.kind === 'condensation' || ids.length > 0, 'a plan masks nothing');
        for (const { eventIds, text } of plan.masks ?? []) {
          assert.ok(eventIds.length > 0 && text.trim() !== '', 'a mask is empty');
        }
        const maskable = subject.view.events.filter((event) => ObservationEvent.is(event) && !isMasked(event));
        const known = new Set(maskable.map(({ id }) => id));
        const forgotten = new Set<string>(plan.kind === 'condensation' ? plan.forget : []);
        assert.ok(ids.every((id) => known.has(id) && !forgotten.has(id)));
      }),
  },
  {
    title: 'makes the view smaller',
    run: (subject) =>
      eachPlan(subject, (plan) => {
        const { events } = applyPlan(subject.view, plan);
        if (plan.kind === 'condensation') assert.ok(events.length < subject.view.events.length);
        else assert.ok(tokensIn(events) < tokensIn(subject.view.events));
      }),
  },
  {
    title: 'leaves a view whose messages are legal',
    run: (subject) =>
      eachPlan(subject, (plan) => {
        assert.deepEqual(checkMessages(messageBuilder(codec)(applyPlan(subject.view, plan).events)), []);
      }),
  },
  {
    title: 'changes nothing when a mask is applied again',
    run: (subject) =>
      eachPlan(subject, (plan) => {
        if (plan.kind === 'condensation') return;
        const once = applyPlan(subject.view, plan);
        assert.deepEqual(applyPlan(once, plan), once);
      }),
  },
  {
    title: 'comes to rest when nothing is added',
    async run(subject) {
      let { view } = subject;
      for (let repetition = 0; repetition <= maxRepetitions; repetition++) {
        const answer = planOfAnswer(view, await subject.condenser.condense(view, contextFor(subject, 'check')));
        if (!answer) return;
        assert.ok(answer.kind !== 'nothing');
        view = applyPlan(view, answer);
      }
      assert.fail(`${maxRepetitions} checks in a row changed the view`);
    },
  },
  {
    title: 'meets every demand that can be met, unless it declares otherwise, also if its model fails',
    async run(subject) {
      const { condenser, view, meetsDemands } = subject;
      const all = {
        first: openingLength(view.events),
        target: view.events.length,
        limit: view.events.length,
        least: 2,
      };
      if (!meetsDemands || segmentFor(view.events, all) === undefined) return;
      for (const callModel of [undefined, failing, fixedReply('')]) {
        const context = { ...contextFor(subject, 'demand'), ...(callModel && { callModel }) };
        const answer = planOfAnswer(view, await condenser.condense(view, context));
        assert.ok(answer && answer.kind !== 'nothing', 'a cut is possible but was not made');
      }
    },
  },
  {
    title: 'throws with the code aborted for an aborted signal',
    async run(subject) {
      const signal = AbortSignal.abort();
      for (const reason of reasons) {
        const context = { ...contextFor(subject, reason), signal };
        await assert.rejects(subject.condenser.condense(subject.view, context), { code: 'aborted' });
      }
    },
  },
];

const failing: CondenseContext['callModel'] = () => Promise.reject(new CondenserError('failed', 'The model failed.'));

function contextFor({ maxInputTokens, reply }: CondenserSubject, reason: CondenseContext['reason']): CondenseContext {
  return condenseContext({
    reason,
    ...(maxInputTokens !== undefined && { maxInputTokens }),
    ...(reply !== undefined && { callModel: fixedReply(reply) }),
  });
}

function tokensIn(events: View['events']): number {
  return condenseContext().tokens.request(events);
}

/** Returns the plans for a check and a demand. */
async function plansOf(subject: CondenserSubject): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (const reason of reasons) {
    const answer = await subject.condenser.condense(subject.view, contextFor(subject, reason));
    const plan = planOfAnswer(subject.view, answer);
    if (plan && plan.kind !== 'nothing') plans.push(plan);
  }
  return plans;
}

async function eachPlan(subject: CondenserSubject, check: (plan: Plan) => void): Promise<void> {
  for (const plan of await plansOf(subject)) check(plan);
}

async function eachCondensation(subject: CondenserSubject, check: (plan: CondensationPlan) => void): Promise<void> {
  await eachPlan(subject, (plan) => (plan.kind === 'condensation' ? check(plan) : undefined));
}
