import { textOf, type BaseEvent, text } from '@varve/events';
import { ActionEvent, ObservationEvent } from '@varve/events/kinds';
import { BrowserNavigateAction, BrowserObservation } from '@varve/events/payloads';
import type { View } from '@varve/events/projections';
import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { browserMasking, inOrder, llmSummary, observationMasking } from './index.ts';
import { planIn, type Plan } from './condenser.ts';
import { applyPlan } from './plans/apply-plan.ts';
import { condenseContext } from './testing/index.ts';
import { fixedReply } from './testing/condense-context.ts';

const viewOf = (events: readonly BaseEvent[]): View => ({ events, isCondensationRequested: false });
const { prompt, user, call, result } = eventFactory();

function rounds(count: number, output: string): readonly BaseEvent[] {
  const factory = eventFactory();
  const steps = Array.from({ length: count }, (_, round) => [
    factory.call(`c${round}`, `r${round}`),
    factory.result(round, output),
  ]);
  return [factory.prompt(), factory.user('Go.'), ...steps.flat()];
}

const maskedIn = (plan: Plan | undefined) => (plan?.masks ?? []).flatMap(({ eventIds }) => eventIds);

test('outputs before the attention window are masked, and their calls keep a result', async () => {
  const view = viewOf(rounds(10, 'x'.repeat(2_000)));
  const plan = planIn(await observationMasking({ attentionWindow: 5 }).condense(view, condenseContext()));
  expect(maskedIn(plan)).toEqual([3, 5, 7, 9, 11, 13, 15].map((index) => view.events[index]?.id));
  const after = plan && applyPlan(view, plan);
  const contents = after?.events.flatMap((event) =>
    ObservationEvent.is(event) ? [textOf(event.observation.content).slice(0, 12)] : [],
  );
  expect(contents?.filter((content) => content === '[This output')).toHaveLength(7);
});

test('masking waits until a tenth of the request can be saved', async () => {
  const view = viewOf([...rounds(3, 'x'.repeat(400)), user('y'.repeat(40_000))]);
  expect(await observationMasking({ attentionWindow: 1 }).condense(view, condenseContext())).toBe(view);
  const demand = condenseContext({ reason: 'demand' });
  expect(maskedIn(planIn(await observationMasking({ attentionWindow: 1 }).condense(view, demand)))).toHaveLength(3);
});

test('an output that is shorter than its mask stays', async () => {
  const view = viewOf([prompt(), user('u'), call('c', 'r'), result(0, 'ok'), user('v')]);
  const demand = condenseContext({ reason: 'demand' });
  expect(await observationMasking({ attentionWindow: 1 }).condense(view, demand)).toMatchObject({ kind: 'nothing' });
});

function visit(url: string, index: number): readonly BaseEvent[] {
  const id = `0000000${index}-0000`;
  const timestamp = '2026-01-01T12:00:00.000000';
  const tool_call = { id: `b${index}`, name: 'browser_navigate', arguments: '{}', origin: 'completion' as const };
  const fields = { tool_name: 'browser_navigate', tool_call_id: tool_call.id };
  return [
    ActionEvent.create(
      {
        ...fields,
        thought: [],
        action: BrowserNavigateAction.create({ url }),
        tool_call,
        llm_response_id: `v${index}`,
      },
      { id, timestamp },
    ),
    ObservationEvent.create(
      { ...fields, action_id: id, observation: BrowserObservation.create({ content: [text('page '.repeat(2_000))] }) },
      { id: `1000000${index}-0000`, timestamp },
    ),
  ];
}

test('earlier pages are replaced by their address, and the last page stays', async () => {
  const view = viewOf([prompt(), user('u'), ...visit('https://a.example/', 1), ...visit('https://b.example/', 2)]);
  const plan = planIn(await browserMasking().condense(view, condenseContext()));
  expect(plan?.masks).toEqual([
    { eventIds: ['10000001-0000'], text: expect.stringContaining('Visited https://a.example/.') as string },
  ]);
  const after = plan && applyPlan(view, plan);
  expect(after && (await browserMasking().condense(after, condenseContext()))).toBe(after);
});

/** Returns a visit whose output is of another kind, and of a tool of another name. */
function foreignVisit(index: number, name: string): readonly BaseEvent[] {
  return visit(`https://${index}.example/`, index).map((event) =>
    ObservationEvent.is(event)
      ? { ...event, tool_name: name, observation: { kind: 'OtherObservation', content: event.observation.content } }
      : event,
  );
}

async function maskedOfTool(name: string): Promise<readonly string[]> {
  const view = viewOf([prompt(), user('u'), ...foreignVisit(1, name), ...visit('https://b.example/', 2)]);
  return maskedIn(planIn(await browserMasking().condense(view, condenseContext())));
}

test('an earlier output of a browser tool of another system is masked by its name', async () => {
  expect(await maskedOfTool('browser_get_state')).toEqual(['10000001-0000']);
  expect(await maskedOfTool('read_browser')).toEqual([]);
});

test('condensers in order see what the earlier ones masked, and the plan contains both', async () => {
  const view = viewOf(rounds(20, 'x'.repeat(2_000)));
  let prompts = '';
  const callModel = fixedReply('S', (request) => (prompts += JSON.stringify(request.messages)));
  const condenser = inOrder([observationMasking({ attentionWindow: 5 }), llmSummary({ maxEvents: 30 })]);
  const plan = planIn(await condenser.condense(view, condenseContext({ callModel })));
  expect(plan?.kind).toBe('condensation');
  expect(prompts).toContain('This output was left out');
  expect(prompts).not.toContain('x'.repeat(100));
  const forgotten = plan?.kind === 'condensation' ? plan.forget : [];
  expect(maskedIn(plan).length).toBeGreaterThan(0);
  expect(maskedIn(plan).filter((id) => forgotten.includes(id))).toEqual([]);
});

test('a demand that masking meets does not forget anything', async () => {
  const view = viewOf(rounds(20, 'x'.repeat(2_000)));
  const condenser = inOrder([observationMasking({ attentionWindow: 5 }), llmSummary({ maxEvents: 100 })]);
  const plan = planIn(await condenser.condense(view, condenseContext({ reason: 'demand' })));
  expect(plan?.kind).toBe('mask');
});
