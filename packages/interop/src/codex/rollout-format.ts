import { text, textOf, type Content } from '@varve/events';
import { onlyStart, readOnlyLog, type JsonLines } from '../common/json-lines.ts';
import type { LogFormat, ForeignLog, ReadOptions } from '../common/log-format.ts';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { fieldsOf, instantOf, integerOf, stringOf, textOfJson, type Fields } from '../common/foreign-json.ts';

/** Rollout of Codex: a JSON Lines file below `~/.codex/sessions`. */
export const codexFormat: LogFormat = {
  name: 'codex',
  async matches(files) {
    const start = await onlyStart(files, ['.jsonl']);
    const isEnveloped = /"type"\s*:\s*"(?:session_meta|response_item)"/.test(start);
    return isEnveloped || (files.name.startsWith('rollout-') && /^\s*\{/.test(start));
  },
  read: (files, options) => readOnlyLog(files, 'items of a rollout', (lines) => readRollout(lines, options)),
};

/** A reply whose items are still being read. */
interface OpenReply {
  readonly at: ChatPlace;
  text: string;
  reasoning: string;
  readonly calls: ChatCall[];
}

/**
 * Reads a rollout: items of the Responses API in order. Reasoning, text and calls that follow each other are one reply.
 * Events of the user interface repeat the items and are skipped.
 */
function readRollout({ lines, problems }: JsonLines, { newId }: ReadOptions): ForeignLog {
  const reader = new RolloutReader(newId);
  for (const { fields, place } of lines) reader.add(fields, place);
  return reader.end(problems);
}

class RolloutReader {
  readonly #log: ChatLog;
  #id: string | undefined;
  #reply: OpenReply | undefined;
  /** Ids of the events of each turn of the user. */
  readonly #turns: string[][] = [];

  constructor(newId: () => string) {
    this.#log = new ChatLog(newId);
  }

  add(line: Fields, place: string): void {
    const at = { place, time: instantOf(line['timestamp']) };
    const payload = fieldsOf(line['payload']);
    switch (line['type']) {
      case 'session_meta':
        // A fork repeats the lines of the rollout that it continues, with their head.
        if (this.#id !== undefined) break;
        this.#id = stringOf(payload?.['id']) ?? stringOf(payload?.['session_id']) ?? '';
        this.#addPrompt(payload, at);
        break;
      case 'response_item':
        this.#addItem(payload ?? {}, at);
        break;
      case 'compacted':
        this.#addSummary(summaryOf(payload ?? {}), at);
        break;
      case 'event_msg':
        if (payload?.['type'] === 'thread_rolled_back') this.#rollBack(payload['num_turns'], at);
        break;
      case 'turn_context':
        break;
      default:
        // The first versions wrote the items without an envelope, after a line with the id.
        if (payload === undefined) this.#addBare(line, at);
        else this.#log.drop(textOfJson(line['type']), 'Nothing in a log corresponds to it.');
    }
  }

  end(problems: JsonLines['problems']): ForeignLog {
    this.#endReply();
    return this.#log.result(problems, { id: this.#id || undefined });
  }

  /** Adds a summary. One that only its server can decrypt replaces nothing, because no model could continue from it. */
  #addSummary(summary: string, at: ChatPlace): void {
    this.#endReply();
    if (summary === '') this.#log.drop('encrypted summaries', 'What they replaced stays in the view of the model.');
    else this.#log.addSummary(summary, at);
  }

  /** Takes back the last turns of the user: the model no longer sees them, and the log still contains them. */
  #rollBack(count: unknown, at: ChatPlace): void {
    this.#endReply();
    const turns = integerOf(count) ?? 0;
    if (turns > 0) this.#log.forget(this.#turns.splice(-turns).flat(), at);
  }

  #follow(added: readonly { readonly id: string }[]): void {
    this.#turns.at(-1)?.push(...added.map(({ id }) => id));
  }

  #addBare(line: Fields, at: ChatPlace): void {
    if (typeof typeOf(line) === 'string') return this.#addItem(line, at);
    if (this.#id !== undefined || typeof line['id'] !== 'string') return undefined;
    this.#id = line['id'];
    return this.#addPrompt(line, at);
  }

  #addPrompt(meta: Fields | undefined, at: ChatPlace): void {
    const { instructions, base_instructions: base } = meta ?? {};
    const prompt = stringOf(fieldsOf(base)?.['text']) ?? stringOf(instructions) ?? '';
    if (prompt !== '') this.#log.addPrompt(prompt, [], at);
  }

  #addItem(item: Fields, at: ChatPlace): void {
    const call = callOf(item);
    if (call) return void this.#openReply(at).calls.push(call);
    switch (typeOf(item)) {
      case 'message':
        return this.#addMessage(item, at);
      case 'reasoning':
        // Reasoning begins a reply.
        if (this.#reply && this.#reply.calls.length > 0) this.#endReply();
        this.#openReply(at).reasoning += reasoningOf(item);
        return undefined;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#endReply();
        return this.#addResult(item, at);
      default:
        return this.#log.drop(textOfJson(item['type']), 'Nothing in a log corresponds to it.');
    }
  }

  #addMessage(item: Fields, at: ChatPlace): void {
    const content = this.#contentOf(item['content']);
    if (item['role'] === 'assistant') {
      if (this.#reply && (this.#reply.text !== '' || this.#reply.calls.length > 0)) this.#endReply();
      this.#openReply(at).text = textOf(content);
      return;
    }
    this.#endReply();
    const isUser = item['role'] === 'user';
    if (isUser && !isContext(textOf(content))) this.#turns.push([]);
    this.#follow(this.#log.addMessage(isUser ? 'user' : 'environment', content, at));
  }

  #addResult({ call_id: id, output }: Fields, at: ChatPlace): void {
    const { content, isError } = resultOf(output);
    this.#follow(this.#log.addResult(stringOf(id) ?? '', content, { ...at, isError }));
  }

  #contentOf(parts: unknown): readonly Content[] {
    const content = contentOf(parts);
    const unread = Array.isArray(parts) ? parts.length - content.length : 0;
    this.#log.drop('parts of messages', 'They are neither a text nor an image with an address.', unread);
    return content;
  }

  #openReply(at: ChatPlace): OpenReply {
    this.#reply ??= { at, text: '', reasoning: '', calls: [] };
    return this.#reply;
  }

  #endReply(): void {
    if (!this.#reply) return;
    const { at, reasoning, ...reply } = this.#reply;
    this.#reply = undefined;
    this.#follow(this.#log.addReply({ id: at.place, ...reply, ...(reasoning !== '' && { reasoning }) }, at));
  }
}

/** Returns true for a message that Codex writes in the role of the user; it starts no turn. */
function isContext(userText: string): boolean {
  return /^\s*(?:<(?:environment_context|user_instructions|turn_aborted)>|# AGENTS\.md instructions)/.test(userText);
}

/** Returns the summary of a compaction; newer versions store the messages that replace the history. */
function summaryOf({ message, replacement_history: history }: Fields): string {
  const written = stringOf(message) ?? '';
  if (written !== '' || !Array.isArray(history)) return written;
  return history.map((item: unknown) => textOf(contentOf(fieldsOf(item)?.['content']))).join('\n');
}

/** Returns the type of an item. That of a message, a call or a result may be missing, and follows from its fields. */
function typeOf(item: Fields): unknown {
  const { type, role, call_id: id } = item;
  if (type !== undefined) return type;
  if (typeof role === 'string') return 'message';
  if (typeof id !== 'string') return undefined;
  return 'output' in item ? 'function_call_output' : 'name' in item ? 'function_call' : undefined;
}

function callOf(item: Fields): ChatCall | undefined {
  const { name, call_id: id, id: itemId } = item;
  const type = typeOf(item);
  const callId = stringOf(id) ?? stringOf(itemId);
  if (callId === undefined) return undefined;
  const named = { id: callId, name: stringOf(name) ?? 'unknown' };
  if (type === 'function_call') return { ...named, arguments: textOfJson(item['arguments'] ?? {}) };
  if (type === 'custom_tool_call') return { ...named, arguments: JSON.stringify({ input: item['input'] }) };
  if (type !== 'local_shell_call') return undefined;
  return { id: callId, name: 'local_shell', arguments: JSON.stringify(item['action'] ?? {}) };
}

function contentOf(content: unknown): readonly Content[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly Content[] => {
    const { text: partText, image_url: url } = fieldsOf(part) ?? {};
    if (typeof partText === 'string') return [text(partText)];
    return typeof url === 'string' ? [{ cache_prompt: false, type: 'image', image_urls: [url] }] : [];
  });
}

function reasoningOf({ summary, content }: Fields): string {
  const parts = [summary, content].flatMap((list) => contentOf(list));
  return textOf(parts);
}

/** Returns the content of a result: a text, a list of parts, or an object with its success. Other JSON is its text. */
function resultOf(output: unknown): { readonly content: readonly Content[]; readonly isError: boolean } {
  const { content, success } = fieldsOf(output) ?? { content: output };
  return { content: shownOf(content ?? output), isError: success === false };
}

function shownOf(content: unknown): readonly Content[] {
  if (Array.isArray(content)) return contentOf(content);
  if (content === undefined || content === null || content === '') return [];
  const part = contentOf([content]);
  return part.length > 0 ? part : [text(textOfJson(content))];
}
