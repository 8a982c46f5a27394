import { text, type BaseEvent, type Content, type Message, type Stamp } from '@varve/events';
import {
  ActionEvent,
  Condensation,
  ConversationErrorEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
} from '@varve/events/kinds';
import { originFact } from '@varve/events/facts';
import { MCPToolAction, MCPToolObservation } from '@varve/events/payloads';
import { withoutUndefined } from '@varve/text';
import { DroppedCounter } from './origins.ts';
import { argumentsOf, toolDefinition, type ForeignTool } from './generic-tool.ts';
import { LogBuilder } from './log-builder.ts';
import type { ForeignLog, Problem } from './log-format.ts';

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
 * Methods that add return the events; fewer than asked for if the content cannot be an event, which is a problem.
 */
export class ChatLog {
  readonly problems: Problem[] = [];
  readonly #log: LogBuilder;
  readonly #newId: () => string;
  readonly #dropped = new DroppedCounter();
  readonly #calls = new Map<string, { readonly actionId: string; readonly toolName: string }>();
  /** Ids of the events in the view of a model, in order and without the prompt. */
  readonly #shown = new Set<string>();
  #prompts = 0;

  constructor(newId: () => string) {
    this.#log = new LogBuilder(newId);
    this.#newId = newId;
  }

  /** Returns the log, whose file has further `problems`. */
  result(
    problems: readonly Problem[] = [],
    { id, title }: { readonly id?: string | undefined; readonly title?: string | undefined } = {},
  ): ForeignLog {
    return {
      ...withoutUndefined({ id, title }),
      entries: this.#log.entries,
      problems: [...problems, ...this.problems],
      dropped: this.#dropped.list(),
      children: [],
    };
  }

  /** Ids of the events in the view of a model, in order and without the prompt. */
  get shownIds(): readonly string[] {
    return [...this.#shown];
  }

  /** Counts content that no event can hold. */
  drop(subject: string, reason: string, count = 1): void {
    if (count > 0) this.#dropped.add(subject, reason, count);
  }

  /** Adds the system prompt. */
  addPrompt(prompt: string, tools: readonly ForeignTool[], at: ChatPlace): readonly BaseEvent[] {
    const fields = { system_prompt: text(prompt), tools: tools.map(toolDefinition) };
    const added = this.#add(at, (stamp) => SystemPromptEvent.create(fields, stamp));
    this.#prompts += added.length;
    return added;
  }

  /** Adds a message for the model: of the user, or of the program that ran the agent. */
  addMessage(source: 'user' | 'environment', content: readonly Content[], at: ChatPlace): readonly BaseEvent[] {
    return this.#addMessage({ source, llm_message: { role: 'user', content: [...content] } }, at);
  }

  /** Adds a reply: a message, or one action per call, with the text on the first. */
  addReply({ id, text: replyText, reasoning, thinking = [], calls }: ChatReply, at: ChatPlace): readonly BaseEvent[] {
    const thoughts = replyText === '' ? [] : [text(replyText)];
    const reasoned = {
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      thinking_blocks: [...thinking],
    };
    if (calls.length === 0) {
      const llm_message = { role: 'assistant' as const, content: thoughts, ...reasoned };
      return this.#addMessage({ source: 'agent', llm_message, llm_response_id: id }, at);
    }
    return calls.flatMap((call, index) => {
      const isFirst = index === 0;
      const fields = { thought: isFirst ? thoughts : [], ...(isFirst && reasoned), llm_response_id: id };
      return this.#addCall(call, fields, at);
    });
  }

  /** Adds the result of a call. A result without its call is reported. */
  addResult(
    callId: string,
    content: readonly Content[],
    { isError, ...at }: ChatPlace & { readonly isError: boolean },
  ): readonly BaseEvent[] {
    const call = this.#calls.get(callId);
    if (!call) {
      this.problems.push({ place: at.place, reason: 'It is the result of a call that the log does not contain.' });
      return [];
    }
    const { actionId: action_id, toolName: tool_name } = call;
    const observation = MCPToolObservation.create({ content: [...content], is_error: isError, tool_name });
    const fields = { action_id, tool_name, tool_call_id: callId, observation };
    return this.#show(at, (stamp) => ObservationEvent.create(fields, stamp));
  }

  /** Reports a record that is read as the parent of one whose own parent is missing. */
  noteSubstitute(place: string): void {
    this.problems.push({ place, reason: 'It is taken for a parent that is missing.', isRead: true });
  }

  /** Adds a failure that ended a run. The model does not see it. */
  addFailure(code: string, detail: string, at: ChatPlace): readonly BaseEvent[] {
    return this.#add(at, (stamp) => ConversationErrorEvent.create({ source: 'environment', code, detail }, stamp));
  }

  /** Keeps in a fact what no event holds of a record; reports a record that cannot be kept. */
  keep(value: Parameters<typeof originFact.create>[0], place: string): void {
    const reason = 'It cannot be kept: it is nested too deeply, or its numbers are too large.';
    if (!this.#log.add('', (stamp) => originFact.create(value, stamp))) this.problems.push({ place, reason });
  }

  /** Replaces events by a summary in the place of the first of them; by default everything except the prompt. */
  addSummary(summary: string, at: ChatPlace, forgotten: readonly string[] = this.shownIds): readonly BaseEvent[] {
    const id = this.#newId();
    const ids = new Set(forgotten);
    const all = this.shownIds;
    const first = all.findIndex((eventId) => ids.has(eventId));
    const index = first === -1 ? all.length : first;
    const removed = all.filter((eventId) => ids.has(eventId));
    const offset = { summary, summary_offset: index + this.#prompts };
    const fields = { forgotten_event_ids: removed, ...offset, llm_response_id: '' };
    const kept = all.filter((eventId) => !ids.has(eventId));
    this.#shown.clear();
    // The event of a summary in a view has this id.
    for (const eventId of kept.toSpliced(index, 0, `${id}-summary`)) this.#shown.add(eventId);
    return this.#add(at, (stamp) => Condensation.create(fields, stamp), id);
  }

  /** Removes events from the view without a summary. They stay in the log. */
  forget(forgotten: readonly string[], at: ChatPlace): readonly BaseEvent[] {
    const removed = forgotten.filter((id) => this.#shown.delete(id));
    if (removed.length === 0) return [];
    return this.#add(at, (stamp) => Condensation.create({ forgotten_event_ids: removed, llm_response_id: '' }, stamp));
  }

  #addMessage(fields: Parameters<typeof MessageEvent.create>[0], at: ChatPlace): readonly BaseEvent[] {
    return this.#show(at, (stamp) => MessageEvent.create(fields, stamp));
  }

  #addCall({ id, name, arguments: written }: ChatCall, fields: object, at: ChatPlace): readonly BaseEvent[] {
    const action = MCPToolAction.create({ data: argumentsOf({ arguments: written }) });
    const tool_call = { id, name, arguments: written, origin: 'completion' as const };
    const call = { thought: [], llm_response_id: '', ...fields, action, tool_name: name, tool_call_id: id, tool_call };
    const added = this.#show(at, (stamp) => ActionEvent.create(call, stamp));
    for (const { id: actionId } of added) this.#calls.set(id, { actionId, toolName: name });
    return added;
  }

  /** Adds an event that a model sees and a summary replaces. */
  #show(at: ChatPlace, make: (stamp: Stamp) => BaseEvent): readonly BaseEvent[] {
    const added = this.#add(at, make);
    for (const { id } of added) this.#shown.add(id);
    return added;
  }

  /** Adds an event, or reports the record that cannot be one. */
  #add({ place, time }: ChatPlace, make: (stamp: Stamp) => BaseEvent, id?: string): readonly BaseEvent[] {
    const event = this.#log.add(time, make, id);
    if (!event) this.problems.push({ place, reason: 'It cannot be an event: it is nested too deeply.' });
    return event ? [event] : [];
  }
}
