import { isOpaque, textOf } from '@varve/events';
import { isFact, originFact } from '@varve/events/facts';
import { MessageEvent } from '@varve/events/kinds';
import { parseJson } from '@varve/text';
import { applyDifferences } from '../common/differences.ts';
import { fieldsOf, type Fields } from '../common/foreign-json.ts';
import type { Output, WrittenLog } from '../common/log-format.ts';
import { Metrics } from '../v0/metrics.ts';
import { writeRecords } from '../v0/write-records.ts';
import { evaluationFormats } from './read-evaluation.ts';

/** Writes a log as one line of an output file, with the fields of the line that it was read from. */
export function writeEvaluation({ id, events }: WrittenLog): Output {
  const formats: readonly string[] = Object.values(evaluationFormats);
  const origin = events.map((event) => originFact.read(event)).findLast((fact) => formats.includes(fact?.format ?? ''));
  const rest = origin ? fieldsOf(applyDifferences({}, origin)) : derivedOutput(id, events);
  if (origin?.format !== evaluationFormats.v1) {
    const { records, dropped } = writeRecords(events);
    return { files: [{ path: '', text: lineOf(rest, records) }], dropped };
  }
  const steps = events.filter((event) => !isFact(event));
  // A log of another person may contain any text.
  const history = steps.flatMap((event): object | readonly object[] =>
    isOpaque(event) ? (fieldsOf(parseJson(event.text)) ?? []) : event,
  );
  const reason = 'The format has no place for them.';
  const dropped = [
    { subject: 'facts', count: events.length - steps.length, reason },
    { subject: 'events that are not JSON objects', count: steps.length - history.length, reason },
  ];
  return { files: [{ path: '', text: lineOf(rest, history) }], dropped: dropped.filter(({ count }) => count > 0) };
}

function lineOf(rest: Fields | undefined, history: readonly unknown[]): string {
  return `${JSON.stringify({ ...rest, history })}\n`;
}

function derivedOutput(id: string, events: WrittenLog['events']): Fields {
  const first = events.find((event) => MessageEvent.is(event) && event.source === 'user');
  const metrics = new Metrics();
  for (const event of events) metrics.follow(event);
  const instruction = first && MessageEvent.is(first) ? textOf(first.llm_message.content) : '';
  return {
    instance_id: id,
    test_result: {},
    instruction,
    metadata: null,
    metrics: metrics.fields() ?? null,
    error: null,
    instance: null,
  };
}
