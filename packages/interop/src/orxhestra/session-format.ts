import { fieldsOf, parseForeignJson, type Fields } from '../common/foreign-json.ts';
import { onlyStart, onlyText, readJsonLines } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, Output, ReadOptions, WrittenLog } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { countRounded } from './canonical-json.ts';
import { eventOf } from './event.ts';
import { readEvents, type SessionRecord } from './read-events.ts';
import { writeSession } from './write-events.ts';

/** Session of orxhestra as JSON: a session with its events, a list of events, or one event per line. */
export const orxhestraFormat: LogFormat = {
  name: 'orxhestra',
  description: 'orxhestra session (JSON), or its events as a list or JSON Lines',
  hasSignatures: true,
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.json', '.jsonl']);
    if (/^\s*\{[^[]*"app_name"\s*:/.test(start) && /"(?:user_id|events)"\s*:/.test(start)) return true;
    const isEvent = /"type"\s*:\s*"(?:user_message|agent_message|tool_response|agent_start)"/.test(start);
    return isEvent && /"(?:invocation_id|turn_complete|agent_name)"\s*:/.test(start);
  },
  async read(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]> {
    const text = await onlyText(files);
    const { session, problems } = sessionIn(text, files.name);
    if (!session.events.some((event) => eventOf(event))) {
      throw new InteropError('invalid', `${files.name} contains no events of orxhestra.`);
    }
    const log = withRounded(readEvents(session, options), text);
    return [{ ...log, problems: [...problems, ...log.problems] }];
  },
  write({ id, events, signer }: WrittenLog): Output {
    const { session, dropped } = writeSession(events, { sessionId: id, ...(signer && { signer }) });
    return { files: [{ path: '', text: `${JSON.stringify(session, undefined, 2)}\n` }], dropped };
  },
};

/** Reports numbers of a text that the log cannot hold. */
export function withRounded(log: ForeignLog, text: string): ForeignLog {
  const count = countRounded(text);
  if (count === 0) return log;
  const reason = 'They were rounded, so that signatures over them are no longer valid.';
  return { ...log, dropped: [...log.dropped, { subject: 'digits of whole numbers beyond 2^53', count, reason }] };
}

function sessionIn(
  text: string,
  name: string,
): { readonly session: SessionRecord; readonly problems: ForeignLog['problems'] } {
  const { lines, problems } = readJsonLines(text);
  if (lines.some(({ fields }) => eventOf(fields))) {
    return { session: { fields: {}, events: lines.map(({ fields }) => fields) }, problems };
  }
  const json = parseForeignJson(text, name);
  const { events, ...fields }: Fields = fieldsOf(json) ?? { events: json };
  return { session: { fields, events: Array.isArray(events) ? (events as readonly unknown[]) : [] }, problems: [] };
}
