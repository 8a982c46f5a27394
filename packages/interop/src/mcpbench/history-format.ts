import { originFact } from '@varve/events/facts';
import type { BaseEvent } from '@varve/events';
import { countUnshown } from '../common/unshown.ts';
import { onlyStart, readOnlyLog } from '../common/json-lines.ts';
import type { LogFormat, Output } from '../common/log-format.ts';
import { originsOf, recordsOf, DroppedCounter, subjectOf } from '../common/origins.ts';
import { HistoryWriter, type HistoryLine } from './history-writer.ts';
import { historyFormatName, readHistory } from './read-history.ts';

/** History of mcpbench_dev: a JSON Lines file to which each item of a conversation is appended. */
export const historyFormat: LogFormat = {
  name: historyFormatName,
  async matches(files) {
    const start = await onlyStart(files, ['.jsonl']);
    return /"in_turn_steps"\s*:/.test(start) && /"turn"\s*:/.test(start);
  },
  async read(files, options) {
    const logs = await readOnlyLog(files, 'lines of a history', (lines) => readHistory(lines, options));
    const id = /^(.+)_history\.jsonl$/.exec(files.name)?.[1];
    return logs.map((log) => ({ ...log, ...(id !== undefined && { id }) }));
  },
  write({ events }) {
    const { lines, dropped } = writeHistory(events);
    return { files: [{ path: '', text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') }], dropped };
  },
};

/** Writes the events of one branch as lines of a history; those of an import as they were read. */
export function writeHistory(events: readonly BaseEvent[]): {
  readonly lines: readonly HistoryLine[];
  readonly dropped: Output['dropped'];
} {
  const writer = new HistoryWriter();
  const dropped = new DroppedCounter();
  const origins = originsOf(events, historyFormatName);
  const lines = events.flatMap((event) => {
    const records = recordsOf(event, origins, (entry) => {
      const written = writer.next(entry);
      if (written) countUnshown(entry, dropped);
      else if (originFact.read(entry)?.format !== historyFormatName) {
        dropped.add(subjectOf(entry), 'A history has no line for it.');
      }
      return written ?? [];
    });
    for (const line of records) writer.follow(line);
    return records;
  });
  return { lines, dropped: dropped.list() };
}
