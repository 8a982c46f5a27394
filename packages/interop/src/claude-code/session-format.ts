import { text, textOf, type BaseEvent, type Content, type Message } from '@varve/events';
import { onlyStart, readOnlyLog, type JsonLines } from '../common/json-lines.ts';
import type { LogFormat, ForeignLog, ReadOptions } from '../common/log-format.ts';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { blocksOf, fieldsOf, instantOf, stringOf, type Fields, firstKeys } from '../common/foreign-json.ts';
import { hasResult, mainChain, preservedBy, type SessionRecord } from './main-chain.ts';

/** Session of Claude Code: a JSON Lines file below `~/.claude/projects`. */
export const claudeCodeFormat: LogFormat = {
  name: 'claude-code',
  async matches(files) {
    const start = await onlyStart(files, ['.jsonl']);
    const isSession = /"(?:sessionId|leafUuid)"\s*:/.test(start) && /"type"\s*:/.test(start);
    // Records of programs that print a session may have no ids.
    const keys = firstKeys(start);
    const isRecord = keys.has('message') && /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"(?:user|assistant)"/.test(start);
    return isSession || isRecord || /"type"\s*:\s*"file-history-snapshot"/.test(start);
  },
  read: (files, options) => readOnlyLog(files, 'messages of a session', (lines) => readSession(lines, options)),
};

/** Block of a message in the form of the Anthropic Messages API. */
type Block = Fields;

/**
 * Reads the session of a file. Its records form a tree: the chain that ends at the last record is read, and records of
 * other branches and of sub-agents are counted as dropped.
 */
function readSession({ lines, problems }: JsonLines, { newId }: ReadOptions): ForeignLog {
  const log = new ChatLog(newId);
  const { chain, others, unconnected, orphans } = mainChain(lines);
  log.drop('records of other branches and of sub-agents', 'Only the main branch of a session is read.', others);
  for (const { place } of orphans) log.noteSubstitute(place);
  for (const { place } of unconnected) log.problems.push({ place, reason: 'It is not connected to the last message.' });
  const reader = new SessionReader(log, lines);
  for (const reply of groupReplies(chain)) reader.add(reply);
  const [first] = chain;
  // A sub-agent has the id of the session that started it.
  const id = first?.fields['isSidechain'] === true ? undefined : stringOf(first?.fields['sessionId']);
  return log.result(problems, { id, title: titleOf(lines) });
}

/** Returns the last title that the user set, else the last one of the model, else the first summary. */
function titleOf(lines: JsonLines['lines']): string | undefined {
  const titles = (type: string, key: string): readonly string[] =>
    lines.flatMap(({ fields }) => (fields['type'] === type ? (stringOf(fields[key]) ?? []) : []));
  const [custom, generated] = [titles('custom-title', 'customTitle'), titles('ai-title', 'aiTitle')];
  return custom.at(-1) ?? generated.at(-1) ?? titles('summary', 'summary')[0];
}

/** Joins the records of one reply: a session has one record per block, with results of earlier calls between them. */
function groupReplies(chain: readonly SessionRecord[]): readonly (readonly SessionRecord[])[] {
  const groups: SessionRecord[][] = [];
  let reply: { readonly id: unknown; readonly records: SessionRecord[] } | undefined;
  for (const record of chain) {
    const id = record.fields['type'] === 'assistant' ? fieldsOf(record.fields['message'])?.['id'] : undefined;
    if (reply && id !== undefined && id === reply.id) {
      reply.records.push(record);
      continue;
    }
    const records = [record];
    groups.push(records);
    if (id !== undefined) reply = { id, records };
    else if (!hasResult(record)) reply = undefined;
  }
  return groups;
}

/** Adds the messages of a session to a log. */
class SessionReader {
  readonly #log: ChatLog;
  readonly #boundaries: ReadonlyMap<string, Fields>;
  /** Ids of the events of a record, by the id of the record. */
  readonly #eventsOf = new Map<string, readonly string[]>();

  constructor(log: ChatLog, lines: readonly SessionRecord[]) {
    this.#log = log;
    const boundaries = lines.filter(({ fields }) => fields['subtype'] === 'compact_boundary');
    this.#boundaries = new Map(boundaries.map(({ fields }) => [stringOf(fields['uuid']) ?? '', fields]));
  }

  /** Adds the records of one reply, or one other record. */
  add(records: readonly SessionRecord[]): void {
    const [first] = records;
    if (!first) return;
    const ids = this.#addRecords(first, records).map(({ id }) => id);
    for (const { fields } of records) this.#eventsOf.set(stringOf(fields['uuid']) ?? '', ids);
  }

  #addRecords(first: SessionRecord, records: readonly SessionRecord[]): readonly BaseEvent[] {
    const { fields, place } = first;
    const at = { place, time: instantOf(fields['timestamp']) };
    const log = this.#log;
    const blocks = records.flatMap((record) => blocksOf(fieldsOf(record.fields['message'])?.['content']));
    if (fields['type'] === 'attachment') {
      const { prompt, commandMode: mode } = fieldsOf(fields['attachment']) ?? {};
      const content = this.#contentOf(blocksOf(prompt));
      return log.addMessage(mode === undefined || mode === 'prompt' ? 'user' : 'environment', content, at);
    }
    // A text of the program in place of a reply that failed.
    if (fields['isApiErrorMessage'] === true) {
      return log.addFailure('ApiError', textOf(this.#contentOf(blocks)), at);
    }
    if (fields['type'] === 'assistant') return this.#addReply(blocks, { at, message: fieldsOf(fields['message']) });
    if (fields['isCompactSummary'] === true) return this.#addSummary(first, textOf(this.#contentOf(blocks)), at);
    return this.#addUserRecord(blocks, { at, isMeta: fields['isMeta'] === true });
  }

  /** Adds a summary of everything before it except what the compaction preserved. */
  #addSummary({ fields }: SessionRecord, summary: string, at: ChatPlace): readonly BaseEvent[] {
    const boundary = this.#boundaries.get(stringOf(fields['parentUuid']) ?? '') ?? {};
    const kept = new Set(preservedBy(boundary).flatMap((uuid) => this.#eventsOf.get(uuid) ?? []));
    return this.#log.addSummary(
      summary,
      at,
      this.#log.shownIds.filter((id) => !kept.has(id)),
    );
  }

  #addReply(
    blocks: readonly Block[],
    { at, message }: { readonly at: ChatPlace; readonly message: Fields | undefined },
  ): readonly BaseEvent[] {
    const thinking = blocks.flatMap(thinkingOf);
    const calls = blocks.flatMap((block): readonly ChatCall[] => {
      const { type, id, name, input } = block;
      if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
      return [{ id, name, arguments: JSON.stringify(input ?? {}) }];
    });
    const content = this.#contentOf(blocks, thinking.length + calls.length);
    return this.#log.addReply(
      { id: stringOf(message?.['id']) ?? at.place, text: textOf(content), thinking, calls },
      at,
    );
  }

  /** Adds the results of a record, and what the user wrote next to them. */
  #addUserRecord(
    blocks: readonly Block[],
    { at, isMeta }: { readonly at: ChatPlace; readonly isMeta: boolean },
  ): readonly BaseEvent[] {
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const added = results.flatMap((block) => {
      const content = this.#contentOf(blocksOf(block['content']));
      const isError = block['is_error'] === true;
      return this.#log.addResult(stringOf(block['tool_use_id']) ?? '', content, { ...at, isError });
    });
    const content = this.#contentOf(blocks.filter(({ type }) => type !== 'tool_result'));
    return content.length > 0
      ? [...added, ...this.#log.addMessage(isMeta ? 'environment' : 'user', content, at)]
      : added;
  }

  /** Returns the texts and images of blocks, and counts the others except `known` ones, which are read elsewhere. */
  #contentOf(blocks: readonly Block[], known = 0): readonly Content[] {
    const content = contentOf(blocks);
    const reason = 'Only texts, images, thinking, calls and results are read.';
    this.#log.drop('blocks of messages', reason, blocks.length - content.length - known);
    return content;
  }
}

function thinkingOf({ type, thinking, signature, data }: Block): Message['thinking_blocks'] {
  if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
  if (type !== 'thinking' || typeof thinking !== 'string') return [];
  return [{ type, thinking, ...(typeof signature === 'string' && { signature }) }];
}

function contentOf(blocks: readonly Block[]): readonly Content[] {
  return blocks.flatMap((block): readonly Content[] => {
    if (block['type'] === 'text') return [text(stringOf(block['text']) ?? '')];
    const { type, media_type: media, data, url } = fieldsOf(block['source']) ?? {};
    if (block['type'] !== 'image') return [];
    if (type === 'url' && typeof url === 'string') return [{ cache_prompt: false, type: 'image', image_urls: [url] }];
    if (typeof media !== 'string' || typeof data !== 'string') return [];
    const image = `data:${media};base64,${data}`;
    return [{ cache_prompt: false, type: 'image', image_urls: [image] }];
  });
}
