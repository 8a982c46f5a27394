import type { Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { buildReply, type AssembledReply } from '../protocol/build-reply.ts';
import type { ProtocolAssembly } from '../protocol/protocol.ts';
import { usageOf } from '../protocol/usage.ts';
import { callAssembly, type CallAssembly } from './call-assembly.ts';
import { detailAssembly, mergeThinking, type DetailAssembly } from './reasoning-blocks.ts';
import { thinkTags, type TextPiece, type ThinkTags } from './think-tags.ts';
import { messageOfChoice, wireAnswer, type WireAnswerMessage, type WireChoice } from './wire-answer.ts';

/** Assembles one chat completion from its chunks; a response that is not streamed is one chunk. */
export interface ChatAssembly extends ProtocolAssembly {
  result(): AssembledReply;
}

/** Starts the assembly of one response. `mode` is where reasoning is separated from the text. */
export function chatAssembly(mode: Dialect['thinkTags'] = 'never'): ChatAssembly {
  const buffer: MessageBuffer = {
    calls: callAssembly(),
    tags: thinkTags(mode),
    texts: [],
    reasonings: [],
    details: detailAssembly(),
    thinking: [],
    characters: 0,
  };
  const state = { id: '', model: '', finish: '', hasChoice: false };
  const choiceOf = choiceReader();
  let failure: unknown;
  const fields = new Set<string>();
  let usage: unknown;
  const text = (): string => buffer.texts.join('');
  const reasoning = (): string => buffer.reasonings.join('');
  const result = (): AssembledReply => ({
    ...state,
    text: text(),
    reasoning: reasoning(),
    reasoningDetails: buffer.details.items,
    thinkingBlocks: buffer.thinking,
    calls: buffer.calls.calls(),
    usage,
    fields: [...fields],
  });
  return {
    get finish() {
      return state.finish;
    },
    get failure() {
      return failure;
    },
    get size() {
      return { characters: buffer.characters + buffer.calls.size.characters, calls: buffer.calls.size.calls };
    },
    push(raw) {
      const body = unwrap(raw);
      const chunk = wireAnswer().safeParse(body).data;
      if (!chunk) return [];
      state.id ||= chunk.id;
      state.model ||= chunk.model;
      usage = chunk.usage ?? chunk.choices[0]?.usage ?? chunk.x_groq?.usage ?? usage;
      failure ??= chunk.x_groq?.error ?? undefined;
      const choice = choiceOf(chunk.choices);
      if (!choice) {
        for (const name of Object.keys(Object(body)).slice(0, 20)) if (fields.size < 20) fields.add(shownName(name));
        return [];
      }
      state.hasChoice = true;
      state.finish = choice.finish_reason || state.finish;
      const message = messageOfChoice(choice);
      return message ? addMessage(buffer, message, choice.delta === undefined) : [];
    },
    end: () => [...addText(buffer, buffer.tags.end()), ...buffer.calls.end()],
    result,
    reply: (settings) => buildReply(result(), settings),
    partial: () => ({ text: text(), reasoning: reasoning(), ...usageOf(usage) }),
  };
}

/** Returns a name of a field for an error. A server may put a key there, so only names of letters are shown. */
function shownName(name: string): string {
  return name.length <= 30 && /^[a-z]+(?:_[a-z]+)*$/i.test(name) ? name : '…';
}

/**
 * Returns a reader of the choice that belongs to the reply: the first one, or the only one, which some servers number
 * from 1. All chunks of a stream have the same one.
 */
function choiceReader(): (choices: readonly WireChoice[]) => WireChoice | undefined {
  let number: number | undefined;
  return (choices) => {
    const started = choices.find(({ index }) => index === undefined || index === (number ?? 0));
    const choice = started ?? (number === undefined && choices.length === 1 ? choices[0] : undefined);
    number ??= choice?.index;
    return choice;
  };
}

/** Some gateways put the whole response into `data`, next to a success message. */
function unwrap(raw: unknown): unknown {
  const isWrapped = typeof raw === 'object' && raw !== null && 'data' in raw && !('choices' in raw);
  return isWrapped ? raw.data : raw;
}

interface MessageBuffer {
  readonly calls: CallAssembly;
  readonly tags: ThinkTags;
  readonly texts: string[];
  readonly reasonings: string[];
  readonly details: DetailAssembly;
  readonly thinking: Message['thinking_blocks'][number][];
  /** Length of everything but the calls. */
  characters: number;
}

/** Adds the content of a message, or of a piece of one, and returns its deltas. */
function addMessage(buffer: MessageBuffer, message: WireAnswerMessage, isWhole: boolean): readonly Delta[] {
  const { text, reasoning } = textOfMessage(message);
  buffer.characters += text.length + reasoning.length;
  buffer.characters += buffer.details.add(message.reasoning_details);
  buffer.characters += mergeThinking(buffer.thinking, message.thinking_blocks);
  const pieces = [...message.tool_calls];
  if (message.function_call && !isEmptyCall(message.function_call)) pieces.push({ function: message.function_call });
  return [
    ...addText(buffer, reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning }]),
    ...addText(buffer, buffer.tags.push(text)),
    ...pieces.flatMap((piece) => (isWhole ? buffer.calls.addWhole(piece) : buffer.calls.addPiece(piece))),
  ];
}

/** Snowflake sends a call in the old form with empty fields in every reply. */
function isEmptyCall({ name, arguments: json }: NonNullable<WireAnswerMessage['function_call']>): boolean {
  return name === '' && (json === '' || json === undefined || json === null);
}

function addText(buffer: MessageBuffer, pieces: readonly TextPiece[]): readonly Delta[] {
  for (const { kind, text } of pieces) (kind === 'text' ? buffer.texts : buffer.reasonings).push(text);
  return pieces;
}

/**
 * A refusal is text of the model. The first reasoning field with content wins: proxies repeat the same reasoning under
 * several names.
 */
function textOfMessage(message: WireAnswerMessage): { text: string; reasoning: string } {
  const parts = typeof message.content === 'string' ? [] : message.content;
  const thoughts = [...parts, ...message.thinking_blocks].map(({ thinking }) => thinking).join('');
  const content = typeof message.content === 'string' ? message.content : parts.map(({ text }) => text).join('');
  return {
    text: content || message.refusal,
    reasoning: message.reasoning_content || message.reasoning || message.reasoning_text || thoughts,
  };
}
