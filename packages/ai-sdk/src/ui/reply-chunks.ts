import { FinishText } from '@varve/agent/replay';
import { textOf, type BaseEvent, type Content } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { FinishAction, presentObservation } from '@varve/events/payloads';
import type { Delta } from '@varve/llm';
import { parseJson } from '@varve/text';
import type { UIMessageChunk } from 'ai';

type Chunks = readonly UIMessageChunk[];

interface StoredText {
  readonly response: string | undefined;
  readonly reasoning: string | undefined;
  readonly text: string;
}

/** Converts the events of a reply, and the pieces that arrive before they are stored, to chunks of a UI message. */
export class ReplyChunks {
  readonly #finish = new FinishText();
  /** Ids of calls without a result, and of their events. */
  readonly #openCalls = new Map<string, string>();
  #openPart: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;
  /** Text of the pieces of a reply that is not stored yet. */
  #live: string | undefined;
  /** Reply of the last event, and the text of its pieces that later events of it contain. */
  #response: string | undefined;
  #shown = '';
  #parts = 0;

  /** Returns the chunks of a piece. */
  delta(delta: Delta): Chunks {
    const finished = this.#finish.push(delta);
    if (delta.kind === 'reset') {
      this.#openPart = undefined;
      if (this.#live === undefined) return [];
      this.#live = '';
      return [{ type: 'reset-step' }];
    }
    const [kind, text] = delta.kind === 'tool-call' ? (['text', finished] as const) : [delta.kind, delta.text];
    if (text === '') return [];
    const step: Chunks = this.#live === undefined ? [{ type: 'start-step' }] : [];
    this.#live = (this.#live ?? '') + (kind === 'text' ? text : '');
    return [...step, ...this.#piece(kind, text)];
  }

  /** Returns the chunks of an event. What its pieces contained is not repeated. */
  event(event: BaseEvent): Chunks {
    if (ActionEvent.is(event)) return this.#action(event);
    if (MessageEvent.is(event) && event.source === 'agent') {
      const { content, reasoning_content: reasoning } = event.llm_message;
      const stored = { response: event.llm_response_id, reasoning, text: textOf(content) };
      return [...this.#stored(stored), ...content.flatMap(fileChunks)];
    }
    if (ConversationErrorEvent.is(event)) return [{ type: 'error', errorText: event.detail }];
    if (ConversationStateUpdateEvent.is(event) && event.value === 'waiting_for_confirmation') {
      return [...this.#openCalls].map(([toolCallId, approvalId]) => requestChunk(toolCallId, approvalId));
    }
    return this.#result(event);
  }

  /** The message of `finish` is text. */
  #action(event: ActionEvent): Chunks {
    const { action, thought, reasoning_content: reasoning, llm_response_id: response } = event;
    const message = FinishAction.is(action) ? action.message : '';
    const chunks = this.#stored({ response, reasoning, text: textOf(thought) + message });
    if (FinishAction.is(action)) return chunks;
    const { tool_call_id: toolCallId, tool_name: toolName, tool_call: call } = event;
    this.#openCalls.set(toolCallId, event.id);
    return [...chunks, { type: 'tool-input-available', toolCallId, toolName, input: parseJson(call.arguments) }];
  }

  /** Text that differs from its pieces, for example because it is masked, replaces them. */
  #stored({ response, reasoning = '', text }: StoredText): Chunks {
    const closed = this.#close();
    const isFirst = response === undefined || response !== this.#response;
    const shown = isFirst ? this.#live : this.#shown;
    const isShown = shown?.startsWith(text) === true;
    this.#response = response;
    this.#live = undefined;
    this.#shown = isShown ? shown.slice(text.length) : '';
    if (isShown) return closed;
    if (!isFirst) return [...closed, ...whole('text', text, this.#newId())];
    const step = shown === undefined ? 'start-step' : 'reset-step';
    const parts = [...whole('reasoning', reasoning, this.#newId()), ...whole('text', text, this.#newId())];
    return [...closed, { type: step }, ...parts];
  }

  #result(event: BaseEvent): Chunks {
    if (ObservationEvent.is(event)) {
      const { tool_call_id: toolCallId, tool_name: name, observation } = event;
      this.#openCalls.delete(toolCallId);
      if (name === 'finish') return [];
      const output = textOf(presentObservation({ ...observation, is_error: false }));
      return observation.is_error
        ? [{ type: 'tool-output-error', toolCallId, errorText: output }]
        : [{ type: 'tool-output-available', toolCallId, output }];
    }
    if (AgentErrorEvent.is(event)) {
      this.#openCalls.delete(event.tool_call_id);
      return [{ type: 'tool-output-error', toolCallId: event.tool_call_id, errorText: event.error }];
    }
    if (!UserRejectObservation.is(event)) return [];
    const { tool_call_id: toolCallId, action_id: approvalId, rejection_reason: reason } = event;
    this.#openCalls.delete(toolCallId);
    if (event.rejection_source === 'hook') return [{ type: 'tool-output-error', toolCallId, errorText: reason }];
    return [
      requestChunk(toolCallId, approvalId),
      { type: 'tool-approval-response', approvalId, approved: false, reason },
      { type: 'tool-output-denied', toolCallId },
    ];
  }

  #piece(kind: 'text' | 'reasoning', text: string): Chunks {
    const open = this.#openPart;
    if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, delta: text }];
    const closed = this.#close();
    const id = this.#newId();
    this.#openPart = { kind, id };
    return [...closed, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta: text }];
  }

  #close(): Chunks {
    const open = this.#openPart;
    this.#openPart = undefined;
    return open ? [{ type: `${open.kind}-end`, id: open.id }] : [];
  }

  #newId(): string {
    this.#parts += 1;
    return `part-${this.#parts}`;
  }
}

function requestChunk(toolCallId: string, approvalId: string): UIMessageChunk {
  return { type: 'tool-approval-request', toolCallId, approvalId };
}

function whole(kind: 'text' | 'reasoning', text: string, id: string): Chunks {
  if (text === '') return [];
  return [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta: text },
    { type: `${kind}-end`, id },
  ];
}

function fileChunks(block: Content): Chunks {
  return block.type === 'image' ? block.image_urls.map(filePart) : [];
}

/** Returns an image as a part of a UI message. */
export function filePart(url: string): { readonly type: 'file'; readonly mediaType: string; readonly url: string } {
  const [, mediaType = 'image/*'] = /^data:([^;,]+)/.exec(url) ?? [];
  return { type: 'file', mediaType, url };
}
