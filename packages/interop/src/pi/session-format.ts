import { text, textOf, type Content, type Message } from '@varve/events';
import { onlyStart, readOnlyLog, type JsonLines } from '../common/json-lines.ts';
import type { LogFormat, ForeignLog, ReadOptions } from '../common/log-format.ts';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { blocksOf, fieldsOf, instantOf, stringOf, type Fields, firstKeys } from '../common/foreign-json.ts';

/**
 * Session of pi: a JSON Lines file below `~/.pi/agent/sessions`.
 *
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session.md
 */
export const piFormat: LogFormat = {
  name: 'pi',
  async matches(files) {
    const start = await onlyStart(files, ['.jsonl']);
    const keys = firstKeys(start);
    return keys.has('cwd') && keys.has('id') && /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"session"/.test(start);
  },
  read: (files, options) => readOnlyLog(files, 'messages of a session', (lines) => readPiSession(lines, options)),
};

/** A record of a session, with its line. */
type Line = JsonLines['lines'][number];

/** Reads the branch of the last record of a session. Versions without parents are one branch. */
function readPiSession({ lines, problems }: JsonLines, { newId }: ReadOptions): ForeignLog {
  const log = new ChatLog(newId);
  const header = lines.find(({ fields }) => fields['type'] === 'session');
  const records = lines.filter((line) => line !== header);
  const branch = branchOf(records, log);
  const eventsOf = new Map<string, readonly string[]>();
  for (const { fields, place } of branch) {
    const { timestamp } = fields;
    const at = { place, time: typeof timestamp === 'number' ? timestamp : instantOf(timestamp) };
    const id = stringOf(fields['id']) ?? '';
    const before = log.shownIds.length;
    addRecord(log, fields, { at, eventsOf });
    eventsOf.set(id, log.shownIds.slice(before));
  }
  const id = stringOf(header?.fields['id']);
  const titles = records.map(({ fields }) =>
    fields['type'] === 'session_info' ? stringOf(fields['name']) : undefined,
  );
  return log.result(problems, { id, title: titles.findLast((name) => name !== undefined) });
}

/**
 * Returns the records from the first one to the last one. A record without a known parent follows the one before it.
 */
function branchOf(records: readonly Line[], log: ChatLog): readonly Line[] {
  if (!records.some(({ fields }) => typeof fields['parentId'] === 'string')) return records;
  const byId = new Map(records.map((record) => [stringOf(record.fields['id']), record]));
  const before = new Map(records.map((record, index) => [record, records[index - 1]]));
  const branch = new Set<Line>();
  for (let next = records.at(-1); next && !branch.has(next);) {
    branch.add(next);
    const parent = byId.get(stringOf(next.fields['parentId']) ?? '');
    const earlier = before.get(next);
    if (!parent && earlier) log.noteSubstitute(earlier.place);
    next = parent ?? earlier;
  }
  log.drop('records of other branches', 'Only the branch of the last record is read.', records.length - branch.size);
  return [...branch].toReversed();
}

interface RecordContext {
  readonly at: ChatPlace;
  /** Ids of the events of a record, by the id of the record. */
  readonly eventsOf: ReadonlyMap<string, readonly string[]>;
}

function addRecord(log: ChatLog, fields: Fields, { at, eventsOf }: RecordContext): void {
  switch (fields['type']) {
    case 'message':
      addMessage(log, fieldsOf(fields['message']) ?? {}, at);
      break;
    case 'custom_message':
      log.addMessage('environment', contentOf(fields['content'], log), at);
      break;
    case 'branch_summary':
      log.addMessage('environment', [text(stringOf(fields['summary']) ?? '')], at);
      break;
    case 'compaction': {
      // The records from the first kept one on stay in the view.
      const ids = [...eventsOf.keys()];
      const first = ids.indexOf(stringOf(fields['firstKeptEntryId']) ?? '');
      const kept = new Set(first === -1 ? [] : ids.slice(first).flatMap((id) => eventsOf.get(id) ?? []));
      const forgotten = log.shownIds.filter((id) => !kept.has(id));
      log.addSummary(stringOf(fields['summary']) ?? '', at, forgotten);
      break;
    }
    default:
      log.drop(String(fields['type']).slice(0, 50), 'Nothing in a log corresponds to it.');
  }
}

function addMessage(log: ChatLog, message: Fields, at: ChatPlace): void {
  const { role, content } = message;
  if (role === 'user') log.addMessage('user', contentOf(content, log), at);
  else if (role === 'assistant') addReply(log, message, at);
  else if (role === 'toolResult') {
    const result = { ...at, isError: message['isError'] === true };
    log.addResult(stringOf(message['toolCallId']) ?? '', contentOf(content, log), result);
  } else if (role === 'bashExecution') {
    const commandText = [`$ ${stringOf(message['command']) ?? ''}`, stringOf(message['output']) ?? ''].join('\n');
    log.addMessage('environment', [text(commandText)], at);
  } else log.problems.push({ place: at.place, reason: 'Its role is not one of a session.' });
}

function addReply(log: ChatLog, { content, errorMessage, responseId }: Fields, at: ChatPlace): void {
  const blocks = blocksOf(content);
  const calls = blocks.flatMap(({ type, id, name, arguments: args }): readonly ChatCall[] =>
    type === 'toolCall' && typeof id === 'string'
      ? [{ id, name: stringOf(name) ?? 'unknown', arguments: JSON.stringify(args ?? {}) }]
      : [],
  );
  const thinking = blocks.flatMap(thinkingOf);
  const noteText = textOf(
    contentOf(
      blocks.filter(({ type }) => type !== 'toolCall' && type !== 'thinking'),
      log,
    ),
  );
  if (noteText === '' && calls.length === 0 && thinking.length === 0) {
    if (typeof errorMessage === 'string') log.addFailure('ApiError', errorMessage, at);
    return;
  }
  log.addReply({ id: stringOf(responseId) ?? at.place, text: noteText, thinking, calls }, at);
}

function thinkingOf({ type, thinking, thinkingSignature: signature }: Fields): Message['thinking_blocks'] {
  if (type !== 'thinking' || typeof thinking !== 'string') return [];
  return [{ type, thinking, ...(typeof signature === 'string' && { signature }) }];
}

function contentOf(content: unknown, log: ChatLog): readonly Content[] {
  return blocksOf(content).flatMap((block): readonly Content[] => {
    const { type, text: blockText, data, mimeType } = block;
    if (type === 'text') return blockText === '' ? [] : [text(stringOf(blockText) ?? '')];
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
      return [{ cache_prompt: false, type, image_urls: [`data:${mimeType};base64,${data}`] }];
    }
    log.drop('blocks of messages', 'Only texts, images, thinking, calls and results are read.');
    return [];
  });
}
