import { onlyStart, onlyText, readJsonLines } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readRollout } from './read-rollout.ts';

/** Rollout of Codex: a JSON Lines file below `~/.codex/sessions`. */
export const codexFormat: LogFormat = {
  name: 'codex',
  description: 'Codex rollout (JSON Lines)',
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.jsonl']);
    const isEnveloped = /"type"\s*:\s*"(?:session_meta|response_item)"/.test(start);
    return isEnveloped || (files.name.startsWith('rollout-') && /^\s*\{/.test(start));
  },
  async read(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]> {
    const log = readRollout(readJsonLines(await onlyText(files)), options);
    if (log.entries.length === 0) throw new InteropError('invalid', `${files.name} contains no items of a rollout.`);
    return [log];
  },
};
