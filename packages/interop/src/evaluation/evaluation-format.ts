import { firstKeys } from '../common/first-keys.ts';
import { onlyStart, onlyText } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEvaluation } from './read-evaluation.ts';
import { writeEvaluation } from './write-evaluation.ts';

/**
 * Output file of an OpenHands evaluation, or of its runs on issues: one line per instance or issue, each with its
 * history, or a list of them.
 */
export const evaluationFormat: LogFormat = {
  name: 'evaluation',
  description: 'OpenHands output of an evaluation or of runs on issues (output.jsonl)',
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.jsonl', '.json']);
    const keys = firstKeys(start);
    const isIssue = keys.has('issue') && ['issue_type', 'history', 'instruction'].some((key) => keys.has(key));
    return isIssue || /^\uFEFF?\s*(?:\[\s*)?\{[^\n]*"instance_id"\s*:/.test(start) || keys.has('instance_id');
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
