import { randomUUID } from 'node:crypto';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { textOf, type BaseEvent } from '@varve/events';
import { callFact, effectFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { FinishAction, TaskTrackerObservation, ThinkAction } from '@varve/events/payloads';
import { eventLines } from '@varve/events/text';
import type { EventSink } from '@varve/host';
import type { Delta } from '@varve/llm';
import type { Redactor } from '@varve/text';
import { MaskedPieces } from '../wording/masked-pieces.ts';
import { callParts, resultParts, textContent } from './call-parts.ts';
import { blocksOf } from './prompt-content.ts';

/** Characters of running output that an editor shows. */
const keptChars = 8000;

/** Options of {@link SessionUpdates}. */
export interface SessionUpdatesOptions {
  /** Pieces arrive before anything masks them. */
  readonly redactor: Pick<Redactor, 'stream'>;
  /** Tokens; undefined if unknown. */
  readonly contextWindow: number | undefined;
  /** Absolute directory of the agent. */
  readonly workspace: string;
  readonly send: (update: SessionUpdate) => void;
  /** True if the events are those of earlier prompts: messages of the user are sent, too. */
  readonly isReplay?: true;
}

/** Sends what happens in a conversation as updates of a session of an editor. */
export class SessionUpdates implements EventSink {
  readonly #options: SessionUpdatesOptions;
  readonly #masks: MaskedPieces;
  #messageId = randomUUID();
  /** True if the text of the reply that is not stored yet was sent. */
  #hasText = false;
  #hasReasoning = false;
  #output = { callId: '', text: '' };
  /** Events of calls by the ids that the model chose, which later calls may repeat. */
  readonly #calls = new Map<string, string>();

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
    this.#masks = new MaskedPieces(options.redactor);
  }

  /** Sends a piece of a reply. What follows a broken reply is another message. */
  addDelta(delta: Delta): void {
    if (delta.kind === 'reset') this.#endReply();
    if (delta.kind === 'text') {
      this.#hasText = true;
      this.#sendText('agent_message_chunk', this.#masks.push('text', delta.text));
    }
    if (delta.kind === 'reasoning') {
      this.#hasReasoning = true;
      this.#sendText('agent_thought_chunk', this.#masks.push('reasoning', delta.text));
    }
  }

  /** Sends output of a running call: the last part of all that arrived. */
  addOutput(chunk: string, { id: callId }: ActionEvent): void {
    if (this.#output.callId !== callId) {
      this.#masks.end('output');
      this.#output = { callId, text: '' };
    }
    const output = this.#masks.push('output', chunk).replaceAll('\r\n', '\n');
    this.#output.text = `${this.#output.text}${output}`.slice(-keptChars);
    const content = textContent(this.#output.text);
    this.#options.send({ sessionUpdate: 'tool_call_update', toolCallId: callId, status: 'in_progress', content });
  }

  /** Sends a stored event. */
  addEvent(event: BaseEvent): void {
    if (MessageEvent.is(event)) this.#addMessage(event);
    else if (ActionEvent.is(event)) this.#addCall(event);
    else if (ObservationEvent.is(event)) this.#addResult(event);
    else if (AgentErrorEvent.is(event))
      this.#addFailure(this.#calls.get(event.tool_call_id) ?? event.tool_call_id, event);
    else if (UserRejectObservation.is(event)) this.#addFailure(event.action_id, event);
    else if (Condensation.is(event)) this.#sendText('agent_thought_chunk', linesOf(event));
    const effect = effectFact.read(event);
    if (effect) this.#update(effect.action_id, { status: 'in_progress' });
    this.#addUsage(event);
  }

  /** Sends a text as a message of the agent. */
  sendMessage(text: string): void {
    this.#sendText('agent_message_chunk', text);
    this.#messageId = randomUUID();
  }

  #addMessage({ source, llm_message: { content } }: MessageEvent): void {
    if (source === 'agent') {
      if (!this.#hasText) this.#sendText('agent_message_chunk', textOf(content));
      this.#endReply();
    } else if (source === 'user' && this.#options.isReplay) {
      const messageId = randomUUID();
      for (const block of blocksOf(content)) {
        this.#options.send({ sessionUpdate: 'user_message_chunk', messageId, content: block });
      }
    }
  }

  #addCall(event: ActionEvent): void {
    if (!this.#hasReasoning) this.#sendText('agent_thought_chunk', event.reasoning_content ?? '');
    if (!this.#hasText) this.#sendText('agent_message_chunk', textOf(event.thought));
    this.#endReply();
    const finish = FinishAction.read(event.action);
    const thinking = ThinkAction.read(event.action);
    this.#calls.set(event.tool_call_id, event.id);
    if (finish) this.sendMessage(finish.message);
    else if (thinking) this.#sendText('agent_thought_chunk', thinking.thought);
    else this.#options.send({ sessionUpdate: 'tool_call', ...callParts(event, this.#options.workspace) });
  }

  #addResult(event: ObservationEvent): void {
    const { observation, action_id: id } = event;
    if (observation.kind === 'FinishObservation' || observation.kind === 'ThinkObservation') return;
    const tasks = observation.is_error ? undefined : TaskTrackerObservation.read(observation);
    if (tasks) this.#sendPlan(tasks.task_list);
    this.#update(id, tasks ? { status: 'completed', content: [] } : resultParts(event));
  }

  #addFailure(id: string, event: BaseEvent): void {
    this.#update(id, { status: 'failed', content: textContent(linesOf(event)) });
  }

  #addUsage(event: BaseEvent): void {
    const call = callFact.read(event);
    const { contextWindow: size } = this.#options;
    if (call?.usage_id !== 'agent' || !call.usage || size === undefined) return;
    const used = call.usage.input_tokens + call.usage.output_tokens;
    this.#options.send({ sessionUpdate: 'usage_update', used, size });
  }

  #sendPlan(tasks: readonly { readonly title: string; readonly status: 'todo' | 'in_progress' | 'done' }[]): void {
    const statuses = { todo: 'pending', in_progress: 'in_progress', done: 'completed' } as const;
    const entries = tasks.map(({ title, status }) => ({
      content: title,
      priority: 'medium' as const,
      status: statuses[status],
    }));
    this.#options.send({ sessionUpdate: 'plan', entries });
  }

  #update(
    toolCallId: string,
    change: Partial<Omit<Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call_update' }>, 'toolCallId'>>,
  ): void {
    this.#options.send({ ...change, sessionUpdate: 'tool_call_update', toolCallId });
  }

  #sendText(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): void {
    if (text === '') return;
    this.#options.send({ sessionUpdate, messageId: this.#messageId, content: { type: 'text', text } });
  }

  #endReply(): void {
    if (this.#hasText) this.#sendText('agent_message_chunk', this.#masks.end('text'));
    if (this.#hasReasoning) this.#sendText('agent_thought_chunk', this.#masks.end('reasoning'));
    this.#hasText = false;
    this.#hasReasoning = false;
    this.#messageId = randomUUID();
  }
}

function linesOf(event: BaseEvent): string {
  return eventLines(event)
    .map(({ text }) => text.trim())
    .join('\n');
}
