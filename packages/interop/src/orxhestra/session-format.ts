import { fieldsOf, parseForeignJson, type Fields } from '../common/foreign-json.ts';
import { onlyStart, onlyText, readJsonLines } from '../common/json-lines.ts';
import type { ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { countRounded, parseExactJson } from './canonical-json.ts';
import { checkSignatures } from './check-signatures.ts';
import { eventOf } from './event.ts';
import { readEvents, type SessionRecord } from './read-events.ts';
import { writeSession } from './write-events.ts';

/** Session of orxhestra as JSON: a session with its events, a list of events, or one event per line. */
export const orxhestraFormat: LogFormat = {
  name: 'orxhestra',
  hasSignatures: true,
  async matches(files) {
    const start = await onlyStart(files, ['.json', '.jsonl']);
    if (/^\s*\{[^[]*"app_name"\s*:/.test(start) && /"(?:user_id|events)"\s*:/.test(start)) return true;
    const isEvent = /"type"\s*:\s*"(?:user_message|agent_message|tool_response|agent_start)"/.test(start);
    return isEvent && /"(?:invocation_id|turn_complete|agent_name)"\s*:/.test(start);
  },
  async read(files, options) {
    const text = await onlyText(files);
    const { session, problems, exact } = sessionIn(text, files.name);
    if (!session.events.some((event) => eventOf(event))) {
      throw new InteropError('invalid', `${files.name} contains no events of orxhestra.`);
    }
    const log = withChecks(readEvents(session, options), exact(), options);
    return [{ ...log, problems: [...problems, ...log.problems] }];
  },
  write({ id, events, signer }) {
    const { session, dropped } = writeSession(events, { sessionId: id, ...(signer && { signer }) });
    return { files: [{ path: '', text: `${JSON.stringify(session, undefined, 2)}\n` }], dropped };
  },
};

/** The JSON texts of a log, and the events that were read from them, as `parseExactJson` returns them. */
export interface ExactEvents {
  readonly texts: readonly string[];
  readonly events: readonly unknown[];
}

/**
 * Adds what the JSON of a log shows: the signatures of its events, and numbers that a log of varve cannot hold.
 *
 * @throws {InteropError} `invalid` for a log that the trusted keys did not sign.
 */
export function withChecks(log: ForeignLog, { texts, events }: ExactEvents, options: ReadOptions): ForeignLog {
  const signatures = checkSignatures(events, options);
  const count = texts.reduce((sum, text) => sum + countRounded(text), 0);
  const reason = 'They were rounded, so that signatures over them are no longer valid.';
  const rounded = count === 0 ? [] : [{ subject: 'digits of whole numbers beyond 2^53', count, reason }];
  return { ...log, dropped: [...log.dropped, ...rounded], ...(signatures && { signatures }) };
}

/** Returns the events of JSON texts, each of which is one event, whatever its fields are. */
export function exactEvents(texts: readonly string[]): ExactEvents {
  return { texts, events: texts.map((text) => parseExactJson(text)) };
}

/** Splits a session, or a list of events, into the fields of the session and its events. */
function partsOf(json: unknown): SessionRecord {
  const { events, ...fields }: Fields = fieldsOf(json) ?? { events: json };
  return { fields, events: Array.isArray(events) ? events : [] };
}

interface ParsedSession {
  readonly session: SessionRecord;
  readonly problems: ForeignLog['problems'];
  /** Returns the same events with all digits of their numbers. */
  readonly exact: () => ExactEvents;
}

function sessionIn(text: string, name: string): ParsedSession {
  const { lines, problems } = readJsonLines(text);
  if (lines.some(({ fields }) => eventOf(fields))) {
    const events = lines.map(({ fields }) => fields);
    return { session: { fields: {}, events }, problems, exact: () => exactEvents(lines.map((line) => line.text)) };
  }
  const session = partsOf(parseForeignJson(text, name));
  return { session, problems: [], exact: () => ({ texts: [text], events: partsOf(parseExactJson(text)).events }) };
}
