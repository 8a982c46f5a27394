import { fieldsOf, foreignCallOf, matchesFilter, stringOf, type Fields, type V0Record } from '@varve/interop/records';
import { observationText } from './prompt-texts.ts';
import { viewOfRecords } from './record-view.ts';

/** Part of a message's content. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** Message of a chat completion request. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: readonly PromptPart[];
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** Options of {@link promptOfRecords}. */
export interface PromptOptions {
  /** Prompt for a log without a `system` action. */
  readonly systemPrompt?: string;
  /** Most characters of one result; default 30,000. Results of `read` are not cut. */
  readonly maxMessageChars?: number;
  /** Includes images of the user; default false. */
  readonly hasVision?: boolean;
}

/** Tool calls of one response that wait for their results. */
interface PendingReply {
  readonly message: PromptMessage;
  readonly ids: readonly string[];
  /** Those of the ids whose results are not known. */
  readonly missing: Set<string>;
}

const toolActions = new Set(
  'delegate think run run_ipython read write edit browse browse_interactive call_tool_mcp task_tracking'.split(' '),
);

/**
 * Returns the messages that V0 sends for a log: the system prompt and the first message of the user come first, each
 * reply with calls appears once all its results are known, directly before them and in call order, and calls without
 * results are left out with their results.
 *
 * @see OpenHands memory/conversation_memory.py (`process_events`)
 */
export function promptOfRecords(records: readonly V0Record[], options: PromptOptions = {}): readonly PromptMessage[] {
  const assembly: Assembly = { pending: new Map(), waiting: new Map(), results: new Map(), ready: new Set(), options };
  const messages: PromptMessage[] = [];
  for (const record of withOpening(records, options)) {
    for (const message of messagesOf(record, assembly)) messages.push(message);
    for (const id of assembly.ready) for (const message of completed(id, assembly)) messages.push(message);
    assembly.ready.clear();
  }
  return separated(messages);
}

/** Takes a reply with its results out of those that wait; empty if another reply took one of the results. */
function completed(responseId: string, { pending, waiting, results }: Assembly): readonly PromptMessage[] {
  const reply = pending.get(responseId);
  if (!reply) return [];
  const { message, ids, missing } = reply;
  for (const id of ids) if (!results.has(id)) missing.add(id);
  if (missing.size > 0) return [];
  const answers = ids.flatMap((id) => results.get(id) ?? []);
  pending.delete(responseId);
  for (const id of ids) {
    results.delete(id);
    waiting.get(id)?.delete(responseId);
  }
  return [message, ...answers];
}

/** Returns the view with the system prompt first, and the first message of the user after it. */
function withOpening(records: readonly V0Record[], { systemPrompt }: PromptOptions): readonly V0Record[] {
  const visible = records.filter((record) => matchesFilter(record, { excludeHidden: true }));
  const view = viewOfRecords(visible);
  const hasPrompt = view.some(({ action }) => action === 'system');
  const prompt = { action: 'system', source: 'agent', args: { content: systemPrompt } };
  const all = hasPrompt || systemPrompt === undefined ? view : [prompt, ...view];
  const opening = all[0]?.['action'] === 'system' ? 1 : 0;
  const first = visible.find((record) => isUserMessage(record));
  if (!first || isUserMessage(all[opening])) return all;
  return all.toSpliced(opening, 0, first);
}

function isUserMessage(record: V0Record | undefined): boolean {
  return record?.['action'] === 'message' && record['source'] === 'user';
}

interface Assembly {
  /** Replies by the id of their response. */
  readonly pending: Map<string, PendingReply>;
  /** Ids of the responses that wait for a call, so that a record costs nothing for the others. */
  readonly waiting: Map<string, Set<string>>;
  /** Results by call. */
  readonly results: Map<string, PromptMessage>;
  /** Ids of the responses that the current record may have completed. */
  readonly ready: Set<string>;
  readonly options: PromptOptions;
}

function messagesOf(record: V0Record, assembly: Assembly): readonly PromptMessage[] {
  if (typeof record['action'] !== 'string') return resultMessages(record, assembly);
  const { action, source } = record;
  const args = fieldsOf(record['args']) ?? {};
  if (action === 'system') return [textMessage('system', stringOf(args['content']) ?? '')];
  const role = source === 'user' ? 'user' : 'assistant';
  if (action === 'message') return [{ role, content: messageParts(record, assembly.options) }];
  if (action === 'finish') {
    const written = foreignCallOf(record)?.content?.trim() ?? '';
    const thought = stringOf(args['thought']) ?? '';
    const texts = [thought, written].filter((part, index, all) => part !== '' && all.indexOf(part) === index);
    const output = texts.length > 0 ? texts.join('\n') : (stringOf(args['final_thought']) ?? '');
    return output === '' ? [] : [textMessage(role, output)];
  }
  return toolActions.has(action) ? callMessages(record, assembly) : [];
}

function callMessages(record: V0Record, { pending, waiting, results, ready }: Assembly): readonly PromptMessage[] {
  const call = foreignCallOf(record);
  if (!call) {
    if (record['source'] === 'user') return [textMessage('user', `The user ran: ${JSON.stringify(record['args'])}`)];
    const thought = stringOf(fieldsOf(record['args'])?.['thought']) ?? '';
    return thought === '' ? [] : [textMessage('assistant', thought)];
  }
  const written = callsOf(record);
  const calls = written.length > 0 ? written : [callObject(call.toolCall)];
  const content = call.content?.trim() ?? '';
  const ids = calls.flatMap(({ id }) => stringOf(id) ?? []);
  // Every action of a response replaces the message, so that there is one for all of them.
  pending.set(call.responseId, {
    message: { role: 'assistant', content: content === '' ? [] : [textPart(content)], tool_calls: calls },
    ids,
    missing: new Set(ids.filter((id) => !results.has(id))),
  });
  for (const id of ids) waiting.set(id, (waiting.get(id) ?? new Set()).add(call.responseId));
  ready.add(call.responseId);
  return [];
}

function callObject({ id, name, arguments: written }: { id: string; name: string; arguments: string }) {
  return { id, type: 'function', function: { name, arguments: written } };
}

/** Returns the calls of the response of an action. */
function callsOf({ tool_call_metadata: metadata }: V0Record): readonly Fields[] {
  const choices = fieldsOf(fieldsOf(metadata)?.['model_response'])?.['choices'];
  const message = Array.isArray(choices) ? fieldsOf(fieldsOf(choices[0])?.['message']) : undefined;
  const calls = message?.['tool_calls'];
  return Array.isArray(calls) ? calls.flatMap((call: unknown): readonly Fields[] => [fieldsOf(call) ?? {}]) : [];
}

function resultMessages(
  record: V0Record,
  { pending, waiting, results, ready, options }: Assembly,
): readonly PromptMessage[] {
  const text = observationText(record, options.maxMessageChars ?? 30_000);
  if (text === undefined) return [];
  const { tool_call_id: id, function_name: name } = fieldsOf(record['tool_call_metadata']) ?? {};
  if (typeof id !== 'string') return [textMessage('user', text)];
  results.set(id, { ...textMessage('tool', text), tool_call_id: id, ...(typeof name === 'string' && { name }) });
  for (const responseId of waiting.get(id) ?? []) {
    const missing = pending.get(responseId)?.missing;
    missing?.delete(id);
    if (missing?.size === 0) ready.add(responseId);
  }
  return [];
}

function messageParts({ args, source }: V0Record, { hasVision }: PromptOptions): readonly PromptPart[] {
  const { content, image_urls: urls } = fieldsOf(args) ?? {};
  const images =
    hasVision === true && source === 'user' && Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
  const parts = images.flatMap((url, index): PromptPart[] => [
    textPart(`Image ${index + 1}:`),
    { type: 'image_url', image_url: { url } },
  ]);
  return [textPart(stringOf(content) ?? ''), ...parts];
}

/** Separates consecutive messages of the user by an empty line. */
function separated(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  return messages.map((message, index) => {
    const [first, ...rest] = message.content;
    const isNext = message.role === 'user' && messages[index - 1]?.role === 'user';
    if (!isNext || first?.type !== 'text') return message;
    return { ...message, content: [textPart(`\n\n${first.text}`), ...rest] };
  });
}

function textMessage(role: PromptMessage['role'], content: string): PromptMessage {
  return { role, content: [textPart(content)] };
}

function textPart(content: string): PromptPart {
  return { type: 'text', text: content };
}
