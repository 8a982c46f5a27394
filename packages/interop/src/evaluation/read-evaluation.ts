import { originFact } from '@varve/events/facts';
import { differencesOf } from '../common/differences.ts';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';
import { readJsonLines, readJsonRecords } from '../common/json-lines.ts';
import { LogBuilder } from '../common/log-builder.ts';
import type { ForeignLog, Problem, ReadOptions } from '../common/log-format.ts';
import { readRecords } from '../v0/read-records.ts';
import { readEventTexts } from '../v1/read-events.ts';

/** Names of evaluation lines in facts, by the kind of their history. */
export const evaluationFormats = { v0: 'openhands-evaluation-v0', v1: 'openhands-evaluation-v1' } as const;

/** Logs of an evaluation, and the lines that could not be read. */
export interface ReadEvaluation {
  readonly logs: readonly ForeignLog[];
  readonly problems: readonly Problem[];
}

/** Returns the ids of the instances in an output file: an evaluation that is resumed skips them. */
export function finishedInstances(text: string): ReadonlySet<string> {
  return new Set(readJsonLines(text).lines.flatMap(({ fields }) => stringOf(fields['instance_id']) ?? []));
}

/**
 * Reads an output file: each line, or item of a list, is the log of one instance. A broken line is reported, and the
 * others are read.
 */
export function readEvaluation(text: string, options: ReadOptions): ReadEvaluation {
  const { lines, problems } = readJsonRecords(text);
  const outputs = lines.filter(({ fields }) => idOf(fields) !== undefined);
  const others = lines.filter(({ fields }) => idOf(fields) === undefined);
  return {
    logs: outputs.map(({ fields }) => readOutput(fields, options)),
    problems: [...problems, ...others].map(({ place }) => ({ place, reason: 'It is not the output of an instance.' })),
  };
}

/** Returns the id of an instance, or one of the issue. */
function idOf({ instance_id: id, issue }: Fields): string | undefined {
  const { owner, repo, number } = fieldsOf(issue) ?? {};
  if (typeof id === 'string' || fieldsOf(issue) === undefined) return stringOf(id);
  return [stringOf(owner), stringOf(repo), typeof number === 'number' ? String(number) : undefined]
    .filter((part) => part !== undefined)
    .join('-');
}

function readOutput({ history, ...rest }: Fields, options: ReadOptions): ForeignLog {
  const id = idOf(rest) ?? '';
  // Older files have pairs of an action and an observation.
  const records: readonly unknown[] = Array.isArray(history) ? history.flat(1) : [];
  const isV1 = typeof fieldsOf(records[0])?.['kind'] === 'string';
  const log = isV1 ? readV1(records) : readRecords(records, options);
  const builder = new LogBuilder(options.newId, log.entries);
  const value = { format: isV1 ? evaluationFormats.v1 : evaluationFormats.v0, ...differencesOf({}, rest) };
  const isKept = builder.add('', (stamp) => originFact.create(value, stamp));
  const problem = { place: id, reason: 'Its metadata cannot be kept: it is nested too deeply.' };
  return {
    ...log,
    id,
    title: id,
    entries: builder.entries,
    problems: isKept ? log.problems : [...log.problems, problem],
  };
}

function readV1(records: readonly unknown[]): ForeignLog {
  const texts = records.map((record, index) => ({ place: `event ${index}`, text: JSON.stringify(record) }));
  return { ...readEventTexts(texts), dropped: [], children: [] };
}
