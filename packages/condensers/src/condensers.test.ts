import type { BaseEvent, Json } from '@varve/events';
import type { View } from '@varve/events/projections';
import { eventFactory } from '@varve/events/testing';
import { scriptedModel } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import type { CondensationPlan, Condenser } from './condenser.ts';
import { planOfView } from './plans/plan-of-view.ts';
import { condenseContext } from './testing/index.ts';
import {
  CondenserError,
  condenserFromSpec,
  conversationWindow,
  discardAll,
  inOrder,
  noCondensation,
  recent,
  rollingWindow,
} from './index.ts';

const viewOf = (events: readonly BaseEvent[]): View => ({ events, isCondensationRequested: false });

async function plan(
  condenser: Condenser,
  events: readonly BaseEvent[],
  reason: 'check' | 'demand' = 'check',
): Promise<CondensationPlan> {
  const answer = await condenser.condense(viewOf(events), condenseContext({ reason }));
  if ('kind' in answer && answer.kind === 'condensation') return answer;
  throw new Error(`No plan was made: ${JSON.stringify(answer)}.`);
}

/** A prompt, a question, and rounds of a call with its result, until there are `length` events. */
function conversation(length: number): readonly BaseEvent[] {
  const { prompt, user, call, result } = eventFactory();
  const events: BaseEvent[] = [prompt(), user('Fix it.')];
  for (let round = 0; events.length < length; round++) events.push(call(`c${round}`, `r${round}`), result(round));
  return events.slice(0, length);
}

const idsOf = (events: readonly BaseEvent[]) => events.map(({ id }) => id);

test('150 events become 60: the first 4, a note, the last 55', async () => {
  const { prompt, user, agent } = eventFactory();
  const talk = Array.from({ length: 149 }, (_, turn) => (turn % 2 ? agent('a') : user('u')));
  const events = [prompt(), ...talk];
  const { forget, summary, summaryOffset } = await plan(rollingWindow({ maxEvents: 120, keepFirst: 4 }), events);
  expect(forget).toEqual(idsOf(events.slice(4, 95)));
  expect([forget.length, summaryOffset, summary]).toEqual([
    91,
    4,
    '91 earlier events of this conversation are not shown.',
  ]);
});

test('a short view is returned unchanged', async () => {
  const view = viewOf(conversation(120));
  expect(await rollingWindow({ maxEvents: 120 }).condense(view, condenseContext())).toBe(view);
});

test('a cut inside a reply moves to its nearer end', async () => {
  const events = conversation(22);
  const { forget } = await plan(rollingWindow({ maxEvents: 20, keepFirst: 2, keepLast: 7 }), events);
  expect(forget).toEqual(idsOf(events.slice(2, 16)));
});

test('the first user message stays even if keepFirst is smaller', async () => {
  const events = conversation(22);
  const { forget } = await plan(rollingWindow({ maxEvents: 20, keepFirst: 0 }), events);
  expect(forget[0]).toBe(events[2]?.id);
});

test('a demand cuts about half of a view of any length', async () => {
  const events = conversation(42);
  const { forget } = await plan(rollingWindow({ maxEvents: 1000 }), events, 'demand');
  expect(events.length - forget.length + 1).toBe(21);
});

test('a demand cuts the only reply, or returns a reason', async () => {
  const condenser = rollingWindow({ maxEvents: 1000, keepFirst: 50 });
  const events = conversation(4);
  expect((await plan(condenser, events, 'demand')).forget).toEqual(idsOf(events.slice(2)));
  expect(await condenser.condense(viewOf(events.slice(0, 2)), condenseContext({ reason: 'demand' }))).toEqual({
    kind: 'nothing',
    reason: expect.stringContaining('cut') as string,
  });
});

test('a call that waits for its result is never cut', async () => {
  const events = conversation(31);
  const { forget } = await plan(rollingWindow({ maxEvents: 20, keepLast: 1 }), events, 'demand');
  expect(forget).not.toContain(events[30]?.id);
});

test('a check does not cut the current tool loop', async () => {
  const { prompt, user, call, result } = eventFactory();
  const thinking_blocks = [{ type: 'thinking' as const, thinking: 't', signature: 's' }];
  const loop: BaseEvent[] = [prompt(), user('u'), call('a', 'r', { thinking_blocks }), result(0)];
  for (let round = 1; round < 10; round++) loop.push(call(`c${round}`, `r${round}`), result(round));
  const view = viewOf(loop);
  const condenser = rollingWindow({ maxEvents: 10 });
  expect(await condenser.condense(view, condenseContext())).toBe(view);
  expect((await plan(condenser, loop, 'demand')).forget).toEqual(idsOf(loop.slice(2)));
});

test('repeated condensations count every event once', async () => {
  const { prompt, user, agent, condensation } = eventFactory();
  const condenser = rollingWindow({ maxEvents: 10 });
  let events: readonly BaseEvent[] = [prompt(), user('Start.')];
  let requestsShown = 0;
  let last = '';
  for (let turn = 0; turn < 100; turn++) {
    events = [...events, turn % 2 ? user('u') : agent('a')];
    const answer = await condenser.condense(viewOf(events), condenseContext());
    if (!('kind' in answer) || answer.kind !== 'condensation') continue;
    const { id, timestamp } = condensation([]);
    const summary = { id: `${id}-summary`, timestamp, source: 'environment' as const, summary: answer.summary ?? '' };
    events = events
      .filter((event) => !answer.forget.includes(event.id))
      .toSpliced(answer.summaryOffset ?? 0, 0, { ...summary, kind: 'CondensationSummaryEvent' } as BaseEvent);
    requestsShown = events.length - 1;
    last = answer.summary ?? '';
    expect(last).toBe(`${turn + 3 - requestsShown} earlier events of this conversation are not shown.`);
  }
  expect(last).not.toBe('');
});

test('the summary of another condenser is copied into the note', async () => {
  const events = conversation(30);
  const noted = { id: 'x-summary', timestamp: 't', source: 'environment' as const, summary: 'Tests use port 80.' };
  const withNote = events.toSpliced(2, 0, { ...noted, kind: 'CondensationSummaryEvent' } as BaseEvent);
  const { summary } = await plan(rollingWindow({ maxEvents: 20 }), withNote);
  expect(summary).toMatch(/^\d+ earlier events .* not shown\.\nNoted about them:\nTests use port 80\.$/);
});

test.for([
  [{ maxEvents: 0 }, 'maxEvents'],
  [{ maxEvents: 10.5 }, 'maxEvents'],
  [{ maxEvents: 10, keepFirst: -1 }, 'keepFirst'],
  [{ maxEvents: 10, keepFirst: 4 }, 'keepLast is 0'],
  [{ maxEvents: 10, keepFirst: 5, keepLast: 5 }, 'no room'],
] as const)('the options %j are rejected', ([options, reason]) => {
  expect(() => rollingWindow(options)).toThrow(CondenserError);
  expect(() => rollingWindow(options)).toThrow(reason);
});

test('condensers are asked in turn until the first plan', async () => {
  const calls: string[] = [];
  const spy = (name: string, inner: Condenser): Condenser => ({
    ...inner,
    condense: (view, context) => {
      calls.push(name);
      return inner.condense(view, context);
    },
  });
  const window = rollingWindow({ maxEvents: 10 });
  await plan(inOrder([spy('a', noCondensation()), spy('b', window), spy('c', window)]), conversation(30), 'demand');
  expect(calls).toEqual(['a', 'b']);
});

test('specs contain all options', () => {
  expect(inOrder([noCondensation(), rollingWindow({ maxEvents: 120, keepFirst: 4 })]).spec).toEqual({
    kind: 'in-order',
    condensers: [{ kind: 'no-condensation' }, { kind: 'rolling-window', maxEvents: 120, keepFirst: 4, keepLast: 55 }],
  });
});

test('specs of other systems build the same condensers', () => {
  const namedModel = scriptedModel([]);
  const model = namedModel.spec;
  const built = (spec: Json) => condenserFromSpec(spec, { model: () => namedModel }).spec;
  for (const kind of ['noop', 'NoOpCondenser']) expect(built({ kind })).toEqual({ kind: 'no-condensation' });
  expect(built({ kind: 'llm', maxEvents: 50, model: 'cheap' })).toMatchObject({
    kind: 'llm-summary',
    maxEvents: 50,
    model,
  });
  expect(built({ kind: 'structured', model: 'cheap' })).toMatchObject({ kind: 'structured-summary', model });
  const masks = [
    { kind: 'browser_output_masking', attentionWindow: 2 },
    { kind: 'llm_attention', model: 'cheap' },
  ];
  expect(built({ kind: 'pipeline', condensers: masks })).toMatchObject({
    condensers: [
      { kind: 'browser-masking', attentionWindow: 2 },
      { kind: 'llm-attention', model },
    ],
  });
});

test.for([
  [{ kind: 'forgetful' }, 'The kinds are: no-condensation'],
  ['rolling-window', 'an object with a kind'],
  [{ kind: 'rolling-window', maxEvents: 'many' }, 'maxEvents (rolling-window)'],
  [{ kind: 'recent', max: 3 }, 'max (recent)'],
  [{ kind: 'llm-summary', model: 'cheap' }, 'cannot be built here'],
  [{ kind: 'llm-summary', windowShare: 2 }, 'windowShare is 2'],
] as const)('the spec %j is rejected', ([spec, reason]) => {
  expect(() => condenserFromSpec(spec)).toThrow(CondenserError);
  expect(() => condenserFromSpec(spec)).toThrow(reason);
});

test('a spec that contains itself many times is rejected', () => {
  let spec: Json = { kind: 'no-condensation' };
  for (let depth = 0; depth < 100; depth++) spec = { kind: 'in-order', condensers: [spec] };
  expect(() => condenserFromSpec(spec)).toThrow('nested deeper');
});

test('a window by tokens follows the limit of the model in use', async () => {
  const events = conversation(60);
  const total = condenseContext().tokens.request(events);
  const condenser = rollingWindow({ maxEvents: 1_000, windowShare: 0.8 });
  const view = viewOf(events);
  expect(await condenser.condense(view, condenseContext({ maxInputTokens: 2 * total }))).toBe(view);
  const small = await condenser.condense(view, condenseContext({ maxInputTokens: total / 2 }));
  expect('kind' in small && small.kind).toBe('condensation');
});

test('recent forgets a tenth at a time', async () => {
  const events = conversation(102);
  const answer = await recent({ maxEvents: 100 }).condense(viewOf(events), condenseContext());
  const kept = 'events' in answer ? answer.events : [];
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([90, events[0], events.at(-1)]);
});

test('recent keeps as many first events as keepFirst', async () => {
  const events = conversation(102);
  const answer = await recent({ maxEvents: 100, keepFirst: 10 }).condense(viewOf(events), condenseContext());
  const kept = 'events' in answer ? answer.events : [];
  expect(idsOf(kept)).toEqual(idsOf([...events.slice(0, 10), ...events.slice(-80)]));
});

test('conversation-window keeps the beginning and the newer half of the rest', async () => {
  const events = conversation(42);
  expect(await plan(conversationWindow(), events, 'demand')).toEqual({
    kind: 'condensation',
    forget: idsOf(events.slice(2, 22)),
  });
});

test('discard-all keeps the beginning and the last step, and notes what it forgot', async () => {
  const events = conversation(42);
  expect(await plan(discardAll(), events, 'demand')).toEqual({
    kind: 'condensation',
    forget: idsOf(events.slice(2, 40)),
    summary: '38 earlier events of this conversation are not shown.',
    summaryOffset: 2,
  });
});

test('a view with rewritten events is no plan', () => {
  const [first, ...rest] = conversation(6);
  const before = viewOf(first ? [first, ...rest] : []);
  const { user } = eventFactory();
  expect(() => planOfView(before, viewOf([...before.events, { ...user('new'), id: 'new' }]))).toThrow('added, moved');
  expect(() => planOfView(before, viewOf(before.events.toReversed()))).toThrow('added, moved');
  expect(planOfView(before, before)).toBeUndefined();
});

test('results without a call, and second results of a call, do not prevent a condensation', async () => {
  const { prompt, user, call, result, agent } = eventFactory();
  const first = [prompt(), user('u'), call('a', 'r'), result(0)];
  const again = result(0);
  const orphan = { ...result(0), id: 'orphan-1', action_id: 'unknown', tool_call_id: 'unknown' };
  const more = Array.from({ length: 20 }, (_, turn) => (turn % 2 ? user('u') : agent('a')));
  const events = [...first, { ...again, id: 'second-1' }, orphan, ...more];
  for (const reason of ['check', 'demand'] as const) {
    const { forget } = await plan(rollingWindow({ maxEvents: 12 }), events, reason);
    expect(forget).toEqual(expect.arrayContaining(['second-1', 'orphan-1', first[3]?.id]));
  }
});
