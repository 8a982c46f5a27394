import { onlyStart, readOnlyLog } from '../common/json-lines.ts';
import type { ForeignFiles, LogFormat } from '../common/log-format.ts';
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
  read: (files, options) => readOnlyLog(files, 'items of a rollout', (lines) => readRollout(lines, options)),
};
