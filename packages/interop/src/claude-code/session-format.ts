import { firstKeys } from '../common/first-keys.ts';
import { onlyStart, readOnlyLog } from '../common/json-lines.ts';
import type { ForeignFiles, LogFormat } from '../common/log-format.ts';
import { readSession } from './read-session.ts';

/** Session of Claude Code: a JSON Lines file below `~/.claude/projects`. */
export const claudeCodeFormat: LogFormat = {
  name: 'claude-code',
  description: 'Claude Code session (JSON Lines)',
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.jsonl']);
    const isSession = /"(?:sessionId|leafUuid)"\s*:/.test(start) && /"type"\s*:/.test(start);
    // Records of programs that print a session may have no ids.
    const keys = firstKeys(start);
    const isRecord = keys.has('message') && /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"(?:user|assistant)"/.test(start);
    return isSession || isRecord || /"type"\s*:\s*"file-history-snapshot"/.test(start);
  },
  read: (files, options) => readOnlyLog(files, 'messages of a session', (lines) => readSession(lines, options)),
};
