import { text, type Content, type Message } from '@varve/events';
import { ActionEvent, Condensation, MessageEvent, ObservationEvent, SystemPromptEvent } from '@varve/events/kinds';
import { MCPToolAction, MCPToolObservation } from '@varve/events/payloads';
import type { LogEntry } from '@varve/events/projections';
import { DroppedCounter, type Dropped } from './dropped.ts';
import { argumentsOf, toolDefinition, type ForeignTool } from './generic-tool.ts';
import { LogBuilder } from './log-builder.ts';
import type { Problem } from './log-format.ts';

/** Tool call of a foreign reply. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model sent it. */
  readonly arguments: string;
}

/** One reply of a foreign model: text, thinking and calls. */
export interface ChatReply {
  readonly id: string;
  readonly text: string;
  readonly reasoning?: string;
  readonly thinking?: Message['thinking_blocks'];
  readonly calls: readonly ChatCall[];
}

/** Place and time of a foreign record. */
export interface ChatPlace {
  /** Name in problems, such as `line 3`. */
  readonly place: string;
  /** As for `timestampAfter`; empty for no time. */
  readonly time: string | number;
}

/**
 * Builds the log of a conversation that consists of chat messages: the prompt, messages, replies with calls, and their
 * results. Calls become calls of generic tools, whatever the tool is called, so that nothing of them is interpreted.
 */
export class ChatLog {
  readonly problems: Problem[] = [];
  readonly #log: LogBuilder;
  readonly #newId: () => string;
  readonly #dropped = new DroppedCounter();
  readonly #calls = new Map<string, { readonly actionId: string; readonly toolName: string }>();
  readonly #shown: string[] = [];

  constructor(newId: () => string) {
    this.#log = new LogBuilder(newId);
    this.#newId = newId;
  }

  get entries(): readonly LogEntry[] {
    return this.#log.entries;
  }

  get dropped(): readonly Dropped[] {
    return this.#dropped.list();
  }

  /** Counts content that no event can hold. */
  drop(subject: string, reason: string, count = 1): void {
    if (count > 0) this.#dropped.add(subject, reason, count);
  }

  /** Adds the system prompt. */
  addPrompt(prompt: string, tools: readonly ForeignTool[], at: ChatPlace): void {
    const fields = { system_prompt: text(prompt), tools: tools.map(toolDefinition) };
    this.#keep(
      at,
      this.#log.add(at.time, (stamp) => SystemPromptEvent.create(fields, stamp)),
    );
  }

  /** Adds a message for the model: of the user, or of the program that ran the agent. */
  addMessage(source: 'user' | 'environment', content: readonly Content[], at: ChatPlace): void {
    this.#addMessage({ source, llm_message: { role: 'user', content: [...content] } }, at);
  }

  /** Adds a reply: a message, or one action per call, with the text on the first. */
  addReply({ id, text: shown, reasoning, thinking = [], calls }: ChatReply, at: ChatPlace): void {
    const thoughts = shown === '' ? [] : [text(shown)];
    const reasoned = {
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      thinking_blocks: [...thinking],
    };
    if (calls.length === 0) {
      const llm_message = { role: 'assistant' as const, content: thoughts, ...reasoned };
      this.#addMessage({ source: 'agent', llm_message, llm_response_id: id }, at);
      return;
    }
    for (const [index, call] of calls.entries()) {
      const isFirst = index === 0;
      this.#addCall(call, { thought: isFirst ? thoughts : [], ...(isFirst && reasoned), llm_response_id: id }, at);
    }
  }

  /** Adds the result of a call. A result without its call is reported. */
  addResult(
    callId: string,
    content: readonly Content[],
    { isError, ...at }: ChatPlace & { readonly isError: boolean },
  ) {
    const call = this.#calls.get(callId);
    if (!call) {
      this.problems.push({ place: at.place, reason: 'It is the result of a call that the log does not contain.' });
      return;
    }
    const { actionId: action_id, toolName: tool_name } = call;
    const observation = MCPToolObservation.create({ content: [...content], is_error: isError, tool_name });
    const fields = { action_id, tool_name, tool_call_id: callId, observation };
    this.#show(
      at,
      this.#log.add(at.time, (stamp) => ObservationEvent.create(fields, stamp)),
    );
  }

  /** Replaces everything so far except the system prompt by a summary. */
  addSummary(summary: string, at: ChatPlace): void {
    const id = this.#newId();
    const fields = { forgotten_event_ids: this.#shown.splice(0), summary, summary_offset: 1, llm_response_id: '' };
    this.#log.add(at.time, (stamp) => Condensation.create(fields, stamp), id);
    // The event of a summary in a view has this id.
    this.#shown.push(`${id}-summary`);
  }

  #addMessage(fields: Parameters<typeof MessageEvent.create>[0], at: ChatPlace): void {
    this.#show(
      at,
      this.#log.add(at.time, (stamp) => MessageEvent.create(fields, stamp)),
    );
  }

  #addCall({ id, name, arguments: written }: ChatCall, fields: object, at: ChatPlace): void {
    const action = MCPToolAction.create({ data: argumentsOf({ arguments: written }) });
    const tool_call = { id, name, arguments: written, origin: 'completion' as const };
    const call = { thought: [], llm_response_id: '', ...fields, action, tool_name: name, tool_call_id: id, tool_call };
    const event = this.#log.add(at.time, (stamp) => ActionEvent.create(call, stamp));
    this.#show(at, event);
    if (event) this.#calls.set(id, { actionId: event.id, toolName: name });
  }

  /** Remembers an event that a summary replaces, or reports the record that cannot be one. */
  #show(at: ChatPlace, event: { readonly id: string } | undefined): void {
    this.#keep(at, event);
    if (event) this.#shown.push(event.id);
  }

  #keep({ place }: ChatPlace, event: object | undefined): void {
    if (!event) this.problems.push({ place, reason: 'It cannot be an event: it is nested too deeply.' });
  }
}
