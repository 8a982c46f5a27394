import { onlyStart, onlyText } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEvaluation } from './read-evaluation.ts';
import { writeEvaluation } from './write-evaluation.ts';

/** Output file of an OpenHands evaluation: one line per instance, each with its history. */
export const evaluationFormat: LogFormat = {
  name: 'evaluation',
  description: 'OpenHands evaluation output (output.jsonl)',
  async matches(files: ForeignFiles): Promise<boolean> {
    return /^\s*\{.*"instance_id"\s*:/s.test(await onlyStart(files, ['.jsonl']));
  },
  async read(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]> {
    const [path = ''] = files.paths;
    const { logs, problems } = readEvaluation(await onlyText(files), options);
    const [first, ...rest] = logs;
    if (!first) throw new InteropError('invalid', `${path} contains no output of an instance.`);
    return [{ ...first, problems: [...problems, ...first.problems] }, ...rest];
  },
  write: writeEvaluation,
};
