import { fieldsOf, parseForeignJson, type Fields, firstKeys } from '../common/foreign-json.ts';
import { onlyStart, onlyText, readJsonLines } from '../common/json-lines.ts';
import type { ForeignLog, LogFormat } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readChat } from './read-chat.ts';
import { writeChat } from './write-chat.ts';

/**
 * Messages of chat completions: a JSON Lines file with one conversation per line, as for fine-tuning, or with one
 * message per line, or a JSON file with a request or its messages.
 *
 * @see https://platform.openai.com/docs/guides/supervised-fine-tuning
 */
export const chatFormat: LogFormat = {
  name: 'chat',
  async matches(files) {
    const start = await onlyStart(files, ['.json', '.jsonl']);
    const keys = firstKeys(start);
    const isMessage = keys.has('role') && ['content', 'tool_calls'].some((key) => keys.has(key));
    return keys.has('messages') || /^\s*\{\s*"(?:model|tools)"\s*:/.test(start) || isMessage;
  },
  async read(files, options) {
    const text = await onlyText(files);
    const { chats, problems } = chatsOf(text, files.name);
    const [first, ...rest] = chats.map((chat) => readChat(chat, options));
    if (!first) throw new InteropError('invalid', `${files.name} contains no chat messages.`);
    return [{ ...first, problems: [...problems, ...first.problems] }, ...rest];
  },
  write({ events }) {
    const { chat, dropped } = writeChat(events);
    return { files: [{ path: '', text: `${JSON.stringify(chat)}\n` }], dropped };
  },
};

function chatsOf(
  text: string,
  name: string,
): { readonly chats: readonly Fields[]; readonly problems: ForeignLog['problems'] } {
  const { lines, problems } = readJsonLines(text);
  const chats = lines.filter(({ fields }) => Array.isArray(fields['messages']));
  if (chats.length > 0) {
    const others = lines.filter(({ fields }) => !Array.isArray(fields['messages']));
    const missing = others.map(({ place }) => ({ place, reason: 'It has no messages.' }));
    return { chats: chats.map(({ fields }) => fields), problems: [...problems, ...missing] };
  }
  const messages = lines.filter(({ fields }) => typeof fields['role'] === 'string');
  if (messages.length > 0) return { chats: [{ messages: messages.map(({ fields }) => fields) }], problems };
  const json = parseForeignJson(text, name);
  const whole = Array.isArray(json) ? { messages: json as readonly unknown[] } : fieldsOf(json);
  return { chats: Array.isArray(whole?.['messages']) ? [whole] : [], problems: [] };
}
