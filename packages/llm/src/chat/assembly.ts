import type { Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import { callAssembly, type AssembledCall, type CallAssembly } from './call-assembly.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { mergeDetails } from './merge-details.ts';
import { mergeThinking } from './merge-thinking.ts';
import { thinkTags, type ThinkTags, type TextPiece } from './think-tags.ts';
import { wireAnswer, type WireAnswerMessage } from './wire-answer.ts';

/** Everything an answer said, put together. */
export interface AssembledReply {
  /** Empty when the provider gave none, like `model`. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly Readonly<Record<string, unknown>>[];
  readonly thinkingBlocks: Message['thinking_blocks'];
  readonly calls: readonly AssembledCall[];
  /** The provider's own word; empty when it gave none. */
  readonly finish: string;
  /** The last usage object told: some servers repeat a growing one with every chunk. */
  readonly usage: unknown;
  /** Whether there was any choice, even one that says nothing. */
  readonly hasChoice: boolean;
}

/** Puts an answer together from its chunks; an answer that is not streamed is one chunk. */
export interface ChatAssembly {
  /** The provider's word for why the reply ended, as soon as it is known. */
  readonly finish: string;
  /** Returns the deltas to hand out. What is not an answer adds nothing. */
  push(chunk: unknown): readonly Delta[];
  /** Ends the reply; returns the last deltas. */
  end(): readonly Delta[];
  result(): AssembledReply;
}

/** An empty answer, to be filled from one exchange. Reasoning in the text is told apart as the mode says. */
export function chatAssembly(mode: Dialect['thinkTags'] = 'never'): ChatAssembly {
  const speech: MessageBuffer = {
    calls: callAssembly(),
    tags: thinkTags(mode),
    texts: [],
    reasonings: [],
    details: [],
    thinking: [],
  };
  const state = { id: '', model: '', finish: '', hasChoice: false };
  let usage: unknown;
  return {
    get finish() {
      return state.finish;
    },
    push(raw) {
      const chunk = wireAnswer.safeParse(unwrap(raw)).data;
      if (!chunk) return [];
      state.id ||= chunk.id;
      state.model ||= chunk.model;
      usage = chunk.usage ?? chunk.choices?.[0]?.usage ?? usage;
      const choice = chunk.choices?.find(({ index }) => index === undefined || index === 0);
      if (!choice) return [];
      state.hasChoice = true;
      state.finish = choice.finish_reason || state.finish;
      const message = choice.delta ?? choice.message;
      return message ? addMessage(speech, message, choice.delta === undefined) : [];
    },
    end: () => [...addText(speech, speech.tags.end()), ...speech.calls.end()],
    result: () => ({
      ...state,
      text: speech.texts.join(''),
      reasoning: speech.reasonings.join(''),
      reasoningDetails: speech.details,
      thinkingBlocks: speech.thinking,
      calls: speech.calls.calls(),
      usage,
    }),
  };
}

/** Some gateways put the whole answer into `data`, beside a word of success. */
function unwrap(raw: unknown): unknown {
  const isWrapped = typeof raw === 'object' && raw !== null && 'data' in raw && !('choices' in raw);
  return isWrapped ? raw.data : raw;
}

interface MessageBuffer {
  readonly calls: CallAssembly;
  readonly tags: ThinkTags;
  readonly texts: string[];
  readonly reasonings: string[];
  readonly details: Readonly<Record<string, unknown>>[];
  readonly thinking: Message['thinking_blocks'][number][];
}

/** Adds what a message, or a piece of one, says. */
function addMessage(speech: MessageBuffer, message: WireAnswerMessage, isWhole: boolean): readonly Delta[] {
  const { text, reasoning } = textOfMessage(message);
  mergeDetails(speech.details, message.reasoning_details);
  mergeThinking(speech.thinking, message.thinking_blocks);
  const pieces = message.tool_calls.filter((piece) => piece !== null);
  if (message.function_call) pieces.push({ function: message.function_call });
  return [
    ...addText(speech, reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning }]),
    ...addText(speech, speech.tags.push(text)),
    ...pieces.flatMap((piece) => (isWhole ? speech.calls.addWhole(piece) : speech.calls.addPiece(piece))),
  ];
}

function addText(speech: MessageBuffer, pieces: readonly TextPiece[]): readonly Delta[] {
  for (const { kind, text } of pieces) (kind === 'text' ? speech.texts : speech.reasonings).push(text);
  return pieces;
}

/**
 * A refusal is the model's own words. The first reasoning field that says something wins: proxies repeat the same words
 * under several names.
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
