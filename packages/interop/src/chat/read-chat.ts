import { textOf } from '@varve/events';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { fieldsOf, listOf, stringOf, type Fields } from '../common/foreign-json.ts';
import type { ForeignLog, ReadOptions } from '../common/log-format.ts';
import { contentOf } from './chat-message.ts';

/** Fields of a chat message that are read. */
const known = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
  'refusal',
  'function_call',
]);

/**
 * Reads the messages of a chat completion. Messages of the roles `system` and `developer` after the first one become
 * messages of the environment, because a conversation has one prompt.
 *
 * @param chat `messages`, and `tools` in the form of requests.
 */
export function readChat(chat: Fields, { newId }: ReadOptions): ForeignLog {
  const log = new ChatLog(newId);
  const { messages, tools } = chat;
  for (const [index, message] of listOf(messages).entries()) {
    const fields = fieldsOf(message);
    const at = { place: `message ${index}`, time: '' };
    if (!fields) log.problems.push({ place: at.place, reason: 'It is not an object.' });
    else addMessage(log, fields, { at, tools, isFirst: index === 0 });
  }
  for (const name of Object.keys(chat)) {
    if (name !== 'messages' && name !== 'tools') log.drop(name, 'A conversation has no such field.');
  }
  return log.result();
}

interface MessageContext {
  readonly at: ChatPlace;
  readonly tools: unknown;
  readonly isFirst: boolean;
}

function addMessage(log: ChatLog, message: Fields, { at, tools, isFirst }: MessageContext): void {
  const content = contentOf(message['content']);
  for (const name of Object.keys(message)) {
    if (!known.has(name)) log.drop(`message.${name}`, 'A message of a log has no such field.');
  }
  switch (message['role']) {
    case 'system':
    case 'developer':
      if (isFirst) log.addPrompt(textOf(content), toolsOf(tools), at);
      else log.addMessage('environment', content, at);
      break;
    case 'user':
      log.addMessage('user', content, at);
      break;
    case 'assistant': {
      const reasoning = stringOf(message['reasoning_content']);
      const replyText = [textOf(content), stringOf(message['refusal']) ?? ''].filter(Boolean).join('\n');
      const reply = { id: at.place, text: replyText, calls: callsOf(message, at.place) };
      log.addReply({ ...reply, ...(reasoning !== undefined && { reasoning }) }, at);
      break;
    }
    case 'tool':
    case 'function':
      log.addResult(resultId(message), content, { ...at, isError: false });
      break;
    default:
      log.problems.push({ place: at.place, reason: 'Its role is not one of a chat.' });
  }
}

function callsOf({ tool_calls: calls, function_call: legacy }: Fields, place: string): readonly ChatCall[] {
  const written = listOf(calls).map((call) => ({
    id: fieldsOf(call)?.['id'],
    of: fieldsOf(fieldsOf(call)?.['function']),
  }));
  // Before there were ids, a message had one call, and the name of the function was all that its result repeated.
  const named = fieldsOf(legacy);
  if (written.length === 0 && named) written.push({ id: stringOf(named['name']), of: named });
  return written.map(({ id, of }, index) => ({
    id: stringOf(id) ?? `${place}-${index}`,
    name: stringOf(of?.['name']) ?? 'unknown',
    arguments: stringOf(of?.['arguments']) ?? JSON.stringify(of?.['arguments'] ?? {}),
  }));
}

function resultId({ tool_call_id: id, name }: Fields): string {
  return stringOf(id) ?? stringOf(name) ?? '';
}

function toolsOf(tools: unknown) {
  return listOf(tools).flatMap((tool) => {
    const { name, description, parameters } = fieldsOf(fieldsOf(tool)?.['function']) ?? {};
    if (typeof name !== 'string') return [];
    return [{ name, description: stringOf(description) ?? '', parameters: fieldsOf(parameters) ?? {} }];
  });
}
