import { EventError, type BaseEvent, type Stamp, text, type Content } from '@varve/events';
import { originFact } from '@varve/events/facts';
import {
  AgentErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { statusKey } from '@varve/events/projections';
import { byIndex, differencesOf, type Differences } from '../common/differences.ts';
import { fieldsOf, type Fields, stringOf } from '../common/foreign-json.ts';
import { LogBuilder } from '../common/log-builder.ts';
import type { ForeignLog, Problem, ReadOptions } from '../common/log-format.ts';
import { statsUpdate } from './metrics.ts';
import { readAction } from './read-action.ts';
import { ReadingContext, type EventDraft, type ReadCall } from './reading-context.ts';
import { typeOf, type V0Record } from './tool-calls.ts';
import { RecordWriter } from './record-writer.ts';
import { isHidden } from './event-filter.ts';
import { delegateSpans, recallsOf, supersededIndices } from './related-records.ts';
import { v0Format } from './write-records.ts';
import { statusOfState } from './agent-states.ts';
import { observationKind, readObservation } from './observation-kinds.ts';

/** Events to create from a record, in their order. */
interface Plan {
  readonly before: readonly EventDraft[];
  /** Event that is written as the record; absent for a record without one. */
  readonly main?: EventDraft | undefined;
  readonly after: readonly EventDraft[];
}

interface Step extends Plan {
  readonly record: V0Record;
  /** Name of the record in problems. */
  readonly place: string;
}

/**
 * Reads V0 records as events. A record without an event, such as a change of the state or an unknown one, is kept in a
 * fact; so is what an event does not contain. `writeRecords` restores both, and returns the records as they were.
 * Events of a delegate are kept in facts too, and are a log of their own in `children`.
 */
export function readRecords(values: readonly unknown[], options: ReadOptions): ForeignLog {
  return readNested(values, options, maxDelegates);
}

/** Deepest nesting of delegates that become logs of their own; V0 has one or two levels. */
const maxDelegates = 4;

function readNested(values: readonly unknown[], options: ReadOptions, depth: number): ForeignLog {
  const problems: Problem[] = [];
  const placed = values.flatMap((value, index) => {
    const record = fieldsOf(value);
    const place = `record ${index}`;
    if (!record) problems.push({ place, reason: 'It is not an object.' });
    return record ? [{ record, place }] : [];
  });
  const records = placed.map(({ record }) => record);
  const spans = delegateSpans(records);
  const hidden = new Set(supersededIndices(records));
  for (const { start, end } of spans) for (let index = start; index < end; index++) hidden.add(index);
  const context = new ReadingContext(options.newId, recallsOf(records));
  const steps = placed.map(({ record, place }, index): Step => {
    const plan = hidden.has(index) || isHidden(record) ? nothing : planOf(record, index, context);
    if (!plan) problems.push({ place, reason: 'Its kind is unknown.' });
    if (plan?.main) context.addEvent(record, plan.main.id);
    return { record, place, ...(plan ?? nothing) };
  });
  const entries = build(withValidPlans(steps, problems), options, problems);
  const nested = depth > 0 ? spans : [];
  const children = nested.map(({ start, end }) => readNested(records.slice(start, end), options, depth - 1));
  return { entries, problems, dropped: [], children };
}

const nothing: Plan = { before: [], after: [] };

function planOf(record: V0Record, index: number, context: ReadingContext): Plan | undefined {
  const { action, observation } = typeOf(record);
  const drafts =
    action === undefined
      ? readObservationRecord(observation ?? '', record, context)
      : readAction(action, { record, index }, context);
  if (!drafts) return undefined;
  const [main, ...after] = drafts;
  const metrics = JSON.stringify(record['llm_metrics']) ?? '';
  const make = metrics === context.lastMetrics ? undefined : statsUpdate(record);
  if (make) context.lastMetrics = metrics;
  // Totals precede the action that reports them, as the fact of a call does.
  return { before: make ? [{ id: context.newId(), make }] : [], main, after };
}

/** Any stamp: whether content can be an event does not depend on it. */
const anyTime = { timestamp: '2026-01-01T00:00:00.000000' };

/** Removes the plans of records whose content cannot be an event. */
function withValidPlans(steps: readonly Step[], problems: Problem[]): readonly Step[] {
  return steps.map((step) => {
    try {
      for (const { id, make } of [...step.before, ...(step.main ? [step.main] : []), ...step.after]) {
        make({ id, ...anyTime });
      }
      return step;
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      problems.push({ place: step.place, reason: 'It cannot be an event.' });
      return { record: step.record, place: step.place, ...nothing };
    }
  });
}

/** Creates the events, and the facts with the differences of their records. */
function build(steps: readonly Step[], { newId }: ReadOptions, problems: Problem[]): ForeignLog['entries'] {
  const mains = steps.flatMap(({ main, after }) => [...(main ? [main] : []), ...after]);
  const writer = new RecordWriter(mains.map(({ id, make }) => make({ id, ...anyTime })));
  const log = new LogBuilder(newId);
  for (const { record, place, before, main, after } of steps) {
    const addDerived = ({ id, make }: EventDraft): void => {
      const event = log.add('', make, id);
      if (event) writer.commit(event, writer.next(event));
    };
    before.forEach(addDerived);
    const event = main && log.add(timeOf(record), main.make, main.id);
    const differences = differencesOf(byIndex(event ? writer.next(event) : []), byIndex([record]));
    const { changed, removed } = differences;
    const isKept = changed.length + removed.length === 0 || log.add('', (stamp) => originOf(event, differences, stamp));
    if (!isKept)
      problems.push({ place, reason: 'It cannot be kept: it is nested too deeply, or its numbers are too large.' });
    writer.commit(event, [record]);
    after.forEach(addDerived);
  }
  return log.entries;
}

function originOf(event: BaseEvent | undefined, { changed, removed }: Differences, stamp: Stamp): BaseEvent {
  const value = { format: v0Format, ...(event && { event_id: event.id }), changed, removed };
  return originFact.create(value, stamp);
}

function timeOf({ timestamp, args }: Fields): string {
  if (typeof timestamp === 'string') return timestamp;
  const legacy = fieldsOf(args)?.['timestamp'];
  return typeof legacy === 'string' ? legacy : '';
}

/** Observations that no model reads, unless they answer a call. */
const silent = new Set([
  'null',
  'success',
  'agent_state_changed',
  'recall',
  'condense',
  'loop_detection',
  'chat',
  'message',
]);
const others = new Set(['error', 'user_rejected', 'download']);

/** Returns the events of an observation; undefined if its kind is unknown. */
function readObservationRecord(
  observation: string,
  record: V0Record,
  context: ReadingContext,
): readonly EventDraft[] | undefined {
  if (observation === 'agent_state_changed') return readState(record, context);
  if (!observationKind(observation) && !silent.has(observation) && !others.has(observation)) return undefined;
  const call = context.callOf(record, stringOf(fieldsOf(record['tool_call_metadata'])?.['tool_call_id']));
  if (call) return [{ id: context.newId(), make: (stamp) => resultEvent(observation, record, call, stamp) }];
  const content = stringOf(record['content']) ?? '';
  if (silent.has(observation) || content === '') return [];
  const fields = { source: 'environment', llm_message: { role: 'user', content: [text(content)] } } as const;
  return [{ id: context.newId(), make: (stamp) => MessageEvent.create(fields, stamp) }];
}

function readState({ extras }: V0Record, { newId }: ReadingContext): readonly EventDraft[] {
  const status = statusOfState(fieldsOf(extras)?.['agent_state']);
  if (!status) return [];
  const update = { key: statusKey, value: status };
  return [{ id: newId(), make: (stamp) => ConversationStateUpdateEvent.create(update, stamp) }];
}

function resultEvent(observation: string, record: V0Record, call: ReadCall, stamp: Stamp) {
  const content = stringOf(record['content']) ?? '';
  const extras = fieldsOf(record['extras']) ?? {};
  const { id: action_id, toolName: tool_name, toolCallId: tool_call_id } = call;
  const named = { tool_name, tool_call_id };
  if (observation === 'error') return AgentErrorEvent.create({ ...named, error: content }, stamp);
  if (observation === 'user_rejected') {
    return UserRejectObservation.create({ ...named, action_id, rejection_reason: content }, stamp);
  }
  const parts: readonly Content[] = [text(content)];
  const result = readObservation(observation, parts, extras, call);
  return ObservationEvent.create({ ...named, action_id, observation: result }, stamp);
}
