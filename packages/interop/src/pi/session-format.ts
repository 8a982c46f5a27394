import { firstKeys } from '../common/first-keys.ts';
import { onlyStart, onlyText, readJsonLines } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
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
  async read(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]> {
    const log = readPiSession(readJsonLines(await onlyText(files)), options);
    if (log.entries.length === 0) throw new InteropError('invalid', `${files.name} contains no messages of a session.`);
    return [log];
  },
};
