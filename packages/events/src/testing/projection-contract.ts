import assert from 'node:assert/strict';
import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import type { Json } from '../json.ts';
import type { Projection } from '../fold/projection.ts';
import { attemptChanges } from './attempt-changes.ts';

/** Input of a check: a projection and the decoded events of a log. */
export interface ProjectionSubject {
  readonly projection: Projection<unknown, unknown>;
  readonly codec: EventCodec;
  readonly events: readonly BaseEvent[];
}

/** Check that every projection must pass. */
export interface ProjectionCheck {
  readonly title: string;
  run(subject: ProjectionSubject): void;
}

/**
 * Checks of the `Projection` contract, for any log. A failing check throws an AssertionError. A projection of custom
 * kinds needs logs with events of these kinds.
 */
export const projectionContract: readonly ProjectionCheck[] = [
  check('has a name and a version', ({ projection: { name, version } }) => {
    assert.notEqual(name, '');
    assert.ok(Number.isSafeInteger(version) && version > 0, `the version is ${version}`);
  }),
  check('reads every prefix without throwing', ({ projection, events }) => {
    fold(projection, events, (state) => projection.read(state));
  }),
  check('continues a branch, whose seqs have gaps, from its snapshot', ({ projection, events }) => {
    const entries = [...events.entries()].filter(([seq]) => projection.scope === 'log' || seq % 3 !== 1);
    const apply = (state: unknown, [seq, event]: [number, BaseEvent]) => projection.apply(state, event, seq);
    const middle = Math.floor(entries.length / 2);
    const before = entries.slice(0, middle).reduce(apply, projection.initial());
    const copy = projection.decode(throughJson(projection.encode(before)));
    const views = [copy, before].map((state) => projection.read(entries.slice(middle).reduce(apply, state)));
    assert.deepEqual(views[0], views[1]);
  }),
  check('returns the same view for the same events', ({ projection, events }) => {
    assert.deepEqual(projection.read(fold(projection, events)), projection.read(fold(projection, events)));
  }),
  check('does not change returned views', ({ projection, events }) => {
    const views: { readonly view: unknown; readonly copy: unknown }[] = [];
    fold(projection, events, (state, seq) => {
      if (seq % 5 !== 0) return;
      const view = projection.read(state);
      views.push({ view, copy: structuredClone(view) });
    });
    for (const { view, copy } of views) assert.deepEqual(view, copy);
  }),
  check('is not changed by changes of what it returned', ({ projection, events }) => {
    const state = fold(projection, events, (prefix, seq) => {
      if (seq % 7 === 0) attemptChanges(projection.read(prefix));
    });
    const expected = fold(projection, events);
    attemptChanges(projection.read(state));
    assert.deepEqual(projection.read(state), projection.read(expected));
    assert.deepEqual(throughJson(projection.encode(state)), throughJson(projection.encode(expected)));
  }),
  check('does not change returned JSON', ({ projection, events }) => {
    const saved: { readonly json: Json; readonly text: string }[] = [];
    fold(projection, events, (state, seq) => {
      if (seq % 5 !== 0) return;
      const json = projection.encode(state);
      saved.push({ json, text: JSON.stringify(json) });
    });
    for (const { json, text } of saved) assert.equal(JSON.stringify(json), text);
  }),
  check('changes no event', ({ projection, codec, events }) => {
    const texts = events.map((event) => codec.encode(event));
    projection.read(fold(projection, events));
    assert.deepEqual(
      events.map((event) => codec.encode(event)),
      texts,
    );
  }),
  check('starts every fold from a new state', ({ projection, events }) => {
    const empty = structuredClone(projection.read(projection.initial()));
    fold(projection, events);
    assert.deepEqual(projection.read(projection.initial()), empty);
  }),
  check('continues from its snapshot with equal results', ({ projection, events }) => {
    const middle = Math.floor(events.length / 2);
    const state = fold(projection, events.slice(0, middle));
    const copy = projection.decode(throughJson(projection.encode(state)));
    assert.deepEqual(projection.read(copy), projection.read(state));
    const rest = events.slice(middle);
    const from = { state: copy, seq: middle };
    assert.deepEqual(
      projection.read(fold(projection, rest, undefined, from)),
      projection.read(fold(projection, events)),
    );
  }),
  check('encodes the same state to the same JSON after a round trip', ({ projection, events }) => {
    const json = throughJson(projection.encode(fold(projection, events)));
    assert.deepEqual(throughJson(projection.encode(projection.decode(json))), json);
  }),
];

function check(title: string, run: ProjectionCheck['run']): ProjectionCheck {
  return { title, run };
}

interface Start {
  readonly state: unknown;
  readonly seq: number;
}

function fold(
  projection: Projection<unknown, unknown>,
  events: readonly BaseEvent[],
  visit?: (state: unknown, seq: number) => void,
  start: Start = { state: projection.initial(), seq: 0 },
): unknown {
  let { state } = start;
  for (const [index, event] of events.entries()) {
    state = projection.apply(state, event, start.seq + index);
    visit?.(state, index);
  }
  return state;
}

function throughJson(json: Json): Json {
  return JSON.parse(JSON.stringify(json)) as Json;
}
