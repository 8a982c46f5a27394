import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { text, textOf } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { maskFact } from '../facts/mask.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { Condensation } from '../kinds/condensation.ts';
import { CondensationRequest } from '../kinds/condensation-request.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { PauseEvent } from '../kinds/pause-event.ts';
import { messageBuilder } from '../messages/message-builder.ts';
import { BrowserObservation } from '../payloads/browser-observation.ts';
import { eventFactory } from '../testing/event-factory.ts';
import { foldEvents } from '../fold/projection.ts';
import { viewProjection } from './view.ts';
import { hasImages } from './view-masks.ts';

const codec = eventCodec(builtinKinds);
const messagesOf = messageBuilder(codec);
const projection = viewProjection(codec);
const viewOf = (events: readonly BaseEvent[]) => foldEvents(projection, events);
const idsOf = (events: readonly BaseEvent[]) => viewOf(events).events.map(({ id }) => id);

test('events that are not for the model are not in the view', () => {
  const { user, stamp } = eventFactory();
  const message = user('u');
  expect(viewOf([message, PauseEvent.create({}, stamp())]).events).toEqual([message]);
});

test('a condensation removes the named events and inserts its summary', () => {
  const { prompt, user, agent, condensation } = eventFactory();
  const [first, a, b, c] = [prompt(), user('a'), agent('b'), user('c')];
  const forget = condensation([a, b], { text: 'S', offset: 1 });
  expect(viewOf([first, a, b, c, forget]).events).toEqual([
    first,
    expect.objectContaining({ kind: 'CondensationSummaryEvent', id: `${forget.id}-summary`, summary: 'S' }),
    c,
  ]);
});

test('example: of 150 events 91 are forgotten after the first 4, and 60 remain', () => {
  const { prompt, user, agent, condensation } = eventFactory();
  const others = Array.from({ length: 149 }, (_, index) => (index % 2 === 0 ? user(`${index}`) : agent(`${index}`)));
  const log = [prompt(), ...others];
  const forget = condensation(log.slice(4, 95), { text: 'S', offset: 4 });
  const { events } = viewOf([...log, forget]);
  expect(forget.forgotten_event_ids).toHaveLength(91);
  expect(events).toHaveLength(60);
  expect(events.map(({ id }) => id)).toEqual([
    ...log.slice(0, 4).map(({ id }) => id),
    `${forget.id}-summary`,
    ...log.slice(95).map(({ id }) => id),
  ]);
});

test('an offset past the end means the end', () => {
  const { user, condensation } = eventFactory();
  const [a, b] = [user('a'), user('b')];
  const forget = condensation([a], { text: 'S', offset: 9 });
  expect(idsOf([a, b, forget])).toEqual([b.id, `${forget.id}-summary`]);
});

test('a summary without an offset is ignored, and an offset without a summary', () => {
  const { user, stamp } = eventFactory();
  const a = user('a');
  const fields = { forgotten_event_ids: [], llm_response_id: '' };
  const lone = Condensation.create({ ...fields, summary: 'S' }, stamp());
  const place = Condensation.create({ ...fields, summary_offset: 0 }, stamp());
  expect(idsOf([a, lone, place])).toEqual([a.id]);
});

test('a summary can be forgotten like any event', () => {
  const { user, condensation } = eventFactory();
  const [a, b] = [user('a'), user('b')];
  const first = condensation([a], { text: 'S', offset: 0 });
  const second = condensation([{ ...a, id: `${first.id}-summary` }], { text: 'T', offset: 0 });
  expect(idsOf([a, b, first, second])).toEqual([`${second.id}-summary`, b.id]);
});

test('unknown ids change nothing, and the prompt is never forgotten', () => {
  const { prompt, user, condensation } = eventFactory();
  const [first, a] = [prompt(), user('a')];
  expect(idsOf([first, a, condensation([first, { ...a, id: 'unknown' }])])).toEqual([first.id, a.id]);
});

test('forgetting a part of a reply forgets the whole reply', () => {
  const { user, call, result, error, condensation } = eventFactory();
  const a = user('a');
  const batch = [call('1'), call('2'), result(0), error('2')];
  for (const part of batch) expect(idsOf([a, ...batch, condensation([part])])).toEqual([a.id]);
});

test('of several events with the same id only the first is in the view', () => {
  const { user, agent, condensation } = eventFactory();
  const a = user('a');
  const twin = { ...agent('b'), id: a.id };
  expect(viewOf([a, twin]).events).toEqual([a]);
  expect(viewOf([a, twin, condensation([a]), twin]).events).toEqual([twin]);
});

test('a condensation that is in the log twice has one summary', () => {
  const { user, condensation } = eventFactory();
  const [a, b] = [user('a'), user('b')];
  const forget = condensation([a], { text: 'S', offset: 0 });
  expect(idsOf([a, b, forget, forget])).toEqual([`${forget.id}-summary`, b.id]);
});

test('a condensation completes the request for one', () => {
  const { user, stamp, condensation } = eventFactory();
  const request = CondensationRequest.create({}, stamp());
  expect(viewOf([user('a'), request]).isCondensationRequested).toBe(true);
  expect(viewOf([user('a'), request, condensation([])]).isCondensationRequested).toBe(false);
});

test('a masked result has the text of the mask and stays a result', () => {
  const { call, result, stamp, user } = eventFactory();
  const [action, output, late] = [call('a'), result(0, 'x'.repeat(1000)), user('u')];
  const mask = maskFact.create({ event_ids: [output.id, action.id, 'unknown'], text: 'Left out.' }, stamp());
  const [first, masked] = viewOf([action, output, mask, late]).events;
  expect(first).toBe(action);
  expect(masked && ObservationEvent.is(masked) && masked.observation.content).toEqual([
    { cache_prompt: false, type: 'text', text: 'Left out.' },
  ]);
  expect(masked).toMatchObject({ id: output.id, action_id: action.id, tool_call_id: 'a' });
});

test('a mask of images leaves the texts of messages and results, with the screenshots of a browser', () => {
  const { call, result, stamp } = eventFactory();
  const block = { cache_prompt: false, type: 'image', image_urls: ['data:image/png;base64,A'] } as const;
  const llm_message = { role: 'user', content: [text('Look.'), block, block] } as const;
  const [action, output] = [call('a'), result(0, 'Shown.')];
  const shot = BrowserObservation.create({ content: [text('A page.')], is_error: true, screenshot_data: 'A' });
  const page = { ...output, observation: shot } as BaseEvent;
  const message = MessageEvent.create({ source: 'user', llm_message }, stamp());
  const mask = { event_ids: [page.id, message.id, action.id], text: 'None.', only: 'images' } as const;
  const events = [action, page, message];
  const masked = viewOf([...events, maskFact.create(mask, stamp())]).events;
  expect(masked.map(hasImages)).toEqual([false, false, false]);
  expect(events.map(hasImages)).toEqual([false, true, true]);
  expect(messagesOf(masked).map(({ content }) => textOf(content))).toEqual([
    '',
    '[The tool reported an error.]\nA page.\nNone.',
    'Look.\nNone.',
  ]);
});

test('a mask does not apply to later events', () => {
  const { call, result, stamp } = eventFactory();
  const [action, output] = [call('a'), result(0)];
  const mask = maskFact.create({ event_ids: [output.id], text: 'Left out.' }, stamp());
  expect(viewOf([action, mask, output]).events[1]).toBe(output);
});

test('a returned view does not change', () => {
  const { user, condensation } = eventFactory();
  const [a, b] = [user('a'), user('b')];
  const state = projection.apply(projection.initial(), a, 0);
  const view = projection.read(state);
  projection.apply(projection.apply(state, b, 1), condensation([a]), 2);
  expect(view.events).toEqual([a]);
});

/** Returns copies of events that count how often a field is read. */
function counted(events: readonly BaseEvent[], field: string) {
  let reads = 0;
  const copies = events.map((event) => {
    const value: unknown = Object.entries(event).find(([key]) => key === field)?.[1];
    const get = (): unknown => ((reads += 1), value);
    return Object.defineProperty({ ...event }, field, { get, enumerable: true });
  });
  return { copies, reads: () => reads };
}

const many = Array.from({ length: 200 }, (_, index) => `${index}`);
const unknown = { id: 'unknown' } as BaseEvent;

test.for([
  ['masks', ({ stamp }) => maskFact.create({ event_ids: [unknown.id], text: 'T' }, stamp())],
  ['condensations', ({ condensation }) => condensation([unknown])],
] as const satisfies readonly (readonly [string, (made: ReturnType<typeof eventFactory>) => BaseEvent])[])(
  'many %s of events that are not in the view read none of it',
  ([, change]) => {
    const made = eventFactory();
    const { copies, reads } = counted(
      many.map((words) => made.user(words)),
      'id',
    );
    const once = (viewOf(copies), reads());
    expect(viewOf([...copies, ...many.map(() => change(made))]).events).toHaveLength(many.length);
    expect(reads() - once).toBe(once);
  },
);

test('many condensations that forget messages do not pair the calls and results of the view', () => {
  const { user, call, condensation } = eventFactory();
  const messages = many.map((words) => user(words));
  const { copies, reads } = counted(
    many.map((id) => call(id)),
    'llm_response_id',
  );
  const changes = messages.map((message) => condensation([message]));
  expect(viewOf([...copies, ...messages, ...changes]).events).toHaveLength(many.length);
  expect(reads()).toBe(0);
});

test('condensations that forget whole replies look at each remaining call once, and do not pair it', () => {
  const { call, result, condensation } = eventFactory();
  const replies = many.map((id, index) => [call(id, id), result(index)]);
  const { copies, reads } = counted(
    many.map((id) => call(`other ${id}`)),
    'tool_call_id',
  );
  const changes = replies.map((reply) => condensation(reply));
  expect(viewOf([...replies.flat(), ...copies, ...changes]).events).toHaveLength(many.length);
  expect(reads()).toBe(many.length * changes.length);
});
