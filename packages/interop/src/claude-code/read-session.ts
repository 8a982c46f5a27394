import { text, textOf, type Content, type Message } from '@varve/events';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';
import type { JsonLines } from '../common/json-lines.ts';
import type { ForeignLog, ReadOptions } from '../common/log-format.ts';
import { hasResult, mainChain, type SessionRecord } from './main-chain.ts';

/** Block of a message in the form of the Anthropic Messages API. */
type Block = Fields;

/**
 * Reads the session of a file. Its records form a tree: the chain that ends at the last record is read, and records of
 * other branches and of sub-agents are counted as dropped.
 */
export function readSession({ lines, problems }: JsonLines, { newId }: ReadOptions): ForeignLog {
  const log = new ChatLog(newId);
  const { chain, others } = mainChain(lines);
  log.drop('records of other branches and of sub-agents', 'Only the main branch of a session is read.', others);
  for (const reply of groupReplies(chain)) addRecords(log, reply);
  const [first] = chain;
  const id = stringOf(first?.fields['sessionId']);
  const title = titleOf(lines);
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    entries: log.entries,
    problems: [...problems, ...log.problems],
    dropped: log.dropped,
    children: [],
  };
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

function addRecords(log: ChatLog, records: readonly SessionRecord[]): void {
  const [first] = records;
  if (!first) return;
  const at = placeOf(first);
  const blocks = records.flatMap(({ fields }) => blocksOf(fieldsOf(fields['message'])?.['content']));
  if (first.fields['type'] === 'attachment') {
    const { prompt, commandMode: mode } = fieldsOf(first.fields['attachment']) ?? {};
    const content = contentOf(blocksOf(prompt));
    log.addMessage(mode === undefined || mode === 'prompt' ? 'user' : 'environment', content, at);
  } else if (first.fields['isApiErrorMessage'] === true) {
    // A text of the program in place of a reply that failed.
    log.addFailure('ApiError', textOf(contentOf(blocks)), at);
  } else if (first.fields['type'] === 'assistant')
    addReply(log, blocks, { at, message: fieldsOf(first.fields['message']) });
  else if (first.fields['isCompactSummary'] === true) log.addSummary(textOf(contentOf(blocks)), at);
  else addUserRecord(log, blocks, { at, isMeta: first.fields['isMeta'] === true });
}

function addReply(
  log: ChatLog,
  blocks: readonly Block[],
  { at, message }: { readonly at: ChatPlace; readonly message: Fields | undefined },
): void {
  const thinking = blocks.flatMap(thinkingOf);
  const calls = blocks.flatMap((block): readonly ChatCall[] => {
    const { type, id, name, input } = block;
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
    return [{ id, name, arguments: JSON.stringify(input ?? {}) }];
  });
  log.addReply({ id: stringOf(message?.['id']) ?? at.place, text: textOf(contentOf(blocks)), thinking, calls }, at);
}

function thinkingOf({ type, thinking, signature, data }: Block): Message['thinking_blocks'] {
  if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
  if (type !== 'thinking' || typeof thinking !== 'string') return [];
  return [{ type, thinking, ...(typeof signature === 'string' && { signature }) }];
}

/** Adds the results of a record, and what the user wrote next to them. */
function addUserRecord(
  log: ChatLog,
  blocks: readonly Block[],
  { at, isMeta }: { readonly at: ChatPlace; readonly isMeta: boolean },
): void {
  for (const block of blocks.filter(({ type }) => type === 'tool_result')) {
    const content = contentOf(blocksOf(block['content']));
    log.addResult(stringOf(block['tool_use_id']) ?? '', content, { ...at, isError: block['is_error'] === true });
  }
  const content = contentOf(blocks.filter(({ type }) => type !== 'tool_result'));
  if (content.length > 0) log.addMessage(isMeta ? 'environment' : 'user', content, at);
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return list.flatMap((block) => {
    const fields = fieldsOf(block);
    return fields ? [fields] : [];
  });
}

function contentOf(blocks: readonly Block[]): readonly Content[] {
  return blocks.flatMap((block): readonly Content[] => {
    if (block['type'] === 'text') return [text(stringOf(block['text']) ?? '')];
    const { type, media_type: media, data, url } = fieldsOf(block['source']) ?? {};
    if (block['type'] !== 'image') return [];
    if (type === 'url' && typeof url === 'string') return [{ cache_prompt: false, type: 'image', image_urls: [url] }];
    const image = `data:${String(media)};base64,${String(data)}`;
    return [{ cache_prompt: false, type: 'image', image_urls: [image] }];
  });
}

function placeOf({ fields, place }: SessionRecord): ChatPlace {
  const instant = Date.parse(stringOf(fields['timestamp']) ?? '');
  return { place, time: Number.isNaN(instant) ? '' : instant };
}
