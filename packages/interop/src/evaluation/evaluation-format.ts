import { isOpaque, textOf } from '@varve/events';
import { isFact, originFact } from '@varve/events/facts';
import { MessageEvent } from '@varve/events/kinds';
import { parseJson } from '@varve/text';
import { onlyStart, onlyText } from '../common/json-lines.ts';
import type { LogFormat, Output, WrittenLog } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEvaluation, evaluationFormats } from './read-evaluation.ts';
import { applyDifferences } from '../common/differences.ts';
import { fieldsOf, type Fields, firstKeys } from '../common/foreign-json.ts';
import { Metrics } from '../v0/metrics.ts';
import { writeRecords } from '../v0/write-records.ts';

/**
 * Output file of an OpenHands evaluation, or of its runs on issues: one line per instance or issue, each with its
 * history, or a list of them.
 */
export const evaluationFormat: LogFormat = {
  name: 'evaluation',
  async matches(files) {
    const start = await onlyStart(files, ['.jsonl', '.json']);
    const keys = firstKeys(start);
    const isIssue = keys.has('issue') && ['issue_type', 'history', 'instruction'].some((key) => keys.has(key));
    return isIssue || /^\uFEFF?\s*(?:\[\s*)?\{[^\n]*"instance_id"\s*:/.test(start) || keys.has('instance_id');
  },
  async read(files, options) {
    const [path = ''] = files.paths;
    const { logs, problems } = readEvaluation(await onlyText(files), options);
    const [first, ...rest] = logs;
    if (!first) throw new InteropError('invalid', `${path} contains no output of an instance.`);
    return [{ ...first, problems: [...problems, ...first.problems] }, ...rest];
  },
  write: writeEvaluation,
};

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
