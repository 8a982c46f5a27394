import { firstKeys } from '../common/first-keys.ts';
import { onlyStart, readOnlyLog } from '../common/json-lines.ts';
import type { ForeignFiles, LogFormat } from '../common/log-format.ts';
import { readPiSession } from './read-session.ts';

/**
 * Session of pi: a JSON Lines file below `~/.pi/agent/sessions`.
 *
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session.md
 */
export const piFormat: LogFormat = {
  name: 'pi',
  description: 'pi session (JSON Lines)',
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.jsonl']);
    const keys = firstKeys(start);
    return keys.has('cwd') && keys.has('id') && /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"session"/.test(start);
  },
  read: (files, options) => readOnlyLog(files, 'messages of a session', (lines) => readPiSession(lines, options)),
};
