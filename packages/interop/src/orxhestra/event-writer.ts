import { isOpaque, textOf, type BaseEvent, type Message } from '@varve/events';
import { callFact, controlFact, isFact, originFact, runFact, type Call } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { repliesOf, statusKey } from '@varve/events/projections';
import { parseJson } from '@varve/text';
import { DroppedCounter, subjectOf } from '../common/origins.ts';
import { fieldsOf, type Fields } from '../common/foreign-json.ts';
import { dataPart, newEvent, noActions, textPart, type Event, type EventActions, type Part } from './event.ts';
const unwritten = 'orxhestra has no event for it.';

/** Options of an {@link EventWriter}. */
interface EventWriterOptions {
  /** Id of the session; undefined while its events are only compared. */
  readonly sessionId: string | undefined;
  /** Name of the agent in events without another one. */
  readonly agentName: string;
}

/** Writes events as those of orxhestra, one by one and in order. */
export class EventWriter {
  readonly dropped = new DroppedCounter();
  readonly #options: EventWriterOptions;
  /** Actions of a reply by the first one; empty for the others. */
  readonly #replies = new Map<string, readonly ActionEvent[]>();
  readonly #calls = new Map<string, Call>();
  /** Ids of the actions whose results are the answer, with its structured output. */
  readonly #answers = new Map<string, Fields | undefined>();
  /** Actions of the results of calls that transfer or escalate. */
  readonly #controls = new Map<string, EventActions>();
  /** Ids and times of the events that a model sees, in order. */
  readonly #shown: { readonly id: string; readonly seconds: number }[] = [];
  #invocation = '';
  #isRunning = false;
  /** Steps of the run so far. */
  #step = 0;
  #status: unknown;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Announces all events that will be written: a reply contains all of its calls, a result its control of the run. */
  announce(events: readonly BaseEvent[]): void {
    for (const event of events) {
      const control = controlFact.read(event);
      if (!control) continue;
      this.#controls.set(control.action_id, actionsOf(control));
      if (control.control === 'answer') this.#answers.set(control.action_id, undefined);
    }
    const steps = events.filter((event) => !isFact(event));
    for (const { calls } of repliesOf(steps)) {
      const actions = calls.map(({ event }) => event);
      for (const { id } of actions) this.#replies.set(id, id === actions[0]?.id ? actions : []);
    }
  }

  /** Returns the events for the next event. */
  next(event: BaseEvent): readonly Event[] {
    const call = callFact.read(event);
    if (call) this.#calls.set(call.response_id, call);
    if (call || controlFact.read(event) || originFact.read(event)) return [];
    const run = runFact.read(event);
    if (run) return this.#runEvents(event, run.state);
    if (ConversationStateUpdateEvent.is(event) && event.key === statusKey) this.#status = event.value;
    const written = isOpaque(event) ? undefined : this.#write(event);
    if (!written) this.dropped.add(subjectOf(event), unwritten);
    return written ?? [];
  }

  /** Adds the end of a run that was cut off by the next one, and the start or end itself. */
  #runEvents(event: BaseEvent, state: 'begun' | 'ended'): readonly Event[] {
    const start = this.#event(event, 'agent_start');
    const end = this.#event(event, 'agent_end');
    const wasRunning = this.#isRunning;
    this.#isRunning = state === 'begun';
    this.#step = 0;
    const actions = { ...noActions, ...(this.#status === 'finished' && { end_of_agent: true }) };
    if (state === 'ended') return wasRunning ? [{ ...end, actions }] : [];
    const cut = { ...end, id: `${end.id}-end`, metadata: { interrupted: true } };
    return wasRunning ? [cut, start] : [start];
  }

  #write(event: BaseEvent): readonly Event[] | undefined {
    if (MessageEvent.is(event)) return this.#message(event);
    if (ActionEvent.is(event)) return this.#action(event);
    if (ObservationEvent.is(event)) return this.#result(event);
    if (AgentErrorEvent.is(event)) return [this.#response(event, { result: '', error: event.error })];
    if (UserRejectObservation.is(event)) return [this.#response(event, { result: '', error: event.rejection_reason })];
    if (Condensation.is(event)) return this.#compactions(event);
    if (!ConversationErrorEvent.is(event)) return undefined;
    const metadata = { error: true, exception_type: event.code };
    return [this.#event(event, 'agent_message', { metadata, content: contentOf([textPart(event.detail)]) })];
  }

  #message(event: MessageEvent): readonly Event[] {
    const { id, source, llm_message, llm_response_id } = event;
    const content = contentOf(messageParts(event));
    this.#show(event);
    if (llm_message.role === 'assistant') {
      const reply = replyOf(this.#calls.get(llm_response_id ?? ''), content.parts);
      return [this.#event(event, 'agent_message', { content, ...withReply(reply) })];
    }
    if (source === 'user') this.#invocation = id;
    const author = source === 'user' ? 'user' : 'system';
    return [this.#event(event, 'user_message', { author, agent_name: null, content })];
  }

  #action(event: ActionEvent): readonly Event[] {
    const actions = this.#replies.get(event.id) ?? [event];
    this.#show(event);
    if (FinishAction.is(event.action)) {
      this.#answers.set(event.id, fieldsOf((event.action as Fields)['structured_output']));
    }
    if (actions.length === 0) return [];
    this.#step += 1;
    const thoughts = event.thought.map(({ text }) => textPart(text));
    const parts = [...thinkingParts(event), ...thoughts, ...actions.map(callPart)];
    const reply = replyOf(this.#calls.get(event.llm_response_id), parts);
    const metadata = this.#stepMetadata();
    return [this.#event(event, 'agent_message', { content: contentOf(parts), metadata, ...withReply(reply) })];
  }

  /** Returns the number of the step of a run. Imported calls belong to no run. */
  #stepMetadata(): Fields {
    return this.#isRunning ? { react_step: this.#step } : {};
  }

  /**
   * Returns the result of a call, and after one that is the answer, as that of `finish`, the answer as a message, since
   * only a message is final.
   */
  #result(event: ObservationEvent): readonly Event[] {
    const { observation, extended_content, action_id } = event;
    const images = observation.content.filter((block) => block.type === 'image').length;
    if (images > 0) this.dropped.add('images of results', 'orxhestra has text results only.', images);
    const written = textOf([...observation.content, ...extended_content]);
    const response = observation.is_error ? { result: '', error: written } : { result: written, error: null };
    const actions = this.#controls.get(action_id);
    const result = { ...this.#response(event, response), ...(actions && { actions }) };
    if (!this.#answers.has(action_id)) return [result];
    const data = this.#answers.get(action_id);
    const parts = [textPart(written), ...(data ? [dataPart(data)] : [])];
    const answer = this.#event(event, 'agent_message', { content: contentOf(parts) });
    return [result, { ...answer, id: `${answer.id}-answer`, metadata: { tool: event.tool_name } }];
  }

  #response(
    event: BaseEvent & { readonly tool_call_id: string; readonly tool_name: string },
    { result, error }: { readonly result: string; readonly error: string | null },
  ): Event {
    const { tool_call_id, tool_name } = event;
    this.#show(event);
    const part = { type: 'tool_response' as const, tool_call_id, tool_name, result, error, metadata: {} };
    const metadata = this.#stepMetadata();
    return this.#event(event, 'tool_response', { content: contentOf([part]), metadata });
  }

  /** Returns a compaction per run of forgotten events that follow each other. The first one has the summary. */
  #compactions(event: Condensation): readonly Event[] {
    const forgotten = new Set(event.forgotten_event_ids);
    const runs: { start: number; end: number; count: number }[] = [];
    for (const [index, { id, seconds }] of this.#shown.entries()) {
      if (!forgotten.has(id)) continue;
      const run = runs.at(-1);
      const isNext = forgotten.has(this.#shown[index - 1]?.id ?? '');
      if (run && isNext) Object.assign(run, { end: seconds, count: run.count + 1 });
      else runs.push({ start: seconds, end: seconds, count: 1 });
    }
    return runs.map(({ start, end, count }, index) => {
      const summary = index === 0 ? (event.summary ?? '') : '';
      const compaction = { start_timestamp: start, end_timestamp: end, summary, event_count: count };
      const fields = { actions: { ...noActions, compaction }, content: contentOf([textPart(summary)]) };
      const written = this.#event(event, 'agent_message', { agent_name: 'compaction', ...fields });
      return index === 0 ? written : { ...written, id: `${written.id}-${index}` };
    });
  }

  /** Remembers an event that a compaction can replace. */
  #show({ id, timestamp }: BaseEvent): void {
    this.#shown.push({ id, seconds: secondsOf(timestamp) });
  }

  #event({ id, timestamp }: BaseEvent, type: Event['type'], fields: Partial<Event> = {}): Event {
    const { agentName, sessionId } = this.#options;
    const named = { author: agentName, agent_name: agentName, invocation_id: this.#invocation };
    const event = newEvent({ id, type, timestamp: secondsOf(timestamp), ...named, ...fields });
    return { ...event, session_id: sessionId as string | null };
  }
}

function actionsOf(control: NonNullable<ReturnType<typeof controlFact.read>>): EventActions {
  if (control.control === 'escalate') return { ...noActions, escalate: true };
  if (control.control === 'answer') return { ...noActions, skip_summarization: true };
  return { ...noActions, transfer_to_agent: control.agent ?? null };
}

function contentOf(parts: readonly Part[]): Event['content'] {
  return { role: null, parts };
}

/** Returns the seconds since 1970 of a timestamp, which is local time. */
function secondsOf(timestamp: string): number {
  const ms = Date.parse(timestamp.slice(0, 19));
  const micros = Number(/\.(\d{1,6})/.exec(timestamp)?.[1]?.padEnd(6, '0') ?? 0);
  return Number.isNaN(ms) ? 0 : (ms * 1000 + micros) / 1_000_000;
}

/** Returns the parts of a message: thinking, texts and images. */
function messageParts({ llm_message, extended_content }: MessageEvent): readonly Part[] {
  const { content } = llm_message;
  return [
    ...thinkingParts(llm_message),
    ...[...content, ...extended_content].flatMap((block): readonly Part[] =>
      block.type === 'text' ? [textPart(block.text)] : block.image_urls.map(imagePart),
    ),
  ];
}

/** Returns the readable thinking of a reply as parts. */
function thinkingParts(reply: Pick<Message, 'thinking_blocks' | 'reasoning_content'>): readonly Part[] {
  const { reasoning_content: reasoning = '', thinking_blocks: blocks } = reply;
  const thoughts = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const texts = thoughts.length > 0 ? thoughts : [reasoning];
  return texts.filter(Boolean).map((thinking) => ({ type: 'thinking', thinking, metadata: {} }));
}

/** Returns a call as a part. Arguments that are not an object stay in its metadata as text. */
function callPart({ tool_call_id, tool_name, tool_call, summary, security_risk: risk }: ActionEvent): Part {
  const args = fieldsOf(parseJson(tool_call.arguments));
  const metadata = {
    ...(args === undefined && { arguments: tool_call.arguments }),
    ...(summary !== undefined && { summary }),
    ...(risk !== 'UNKNOWN' && { security_risk: risk }),
  };
  return { type: 'tool_call', tool_call_id, tool_name, args: args ?? {}, metadata };
}

/** Returns the `llm_response` of a reply to varve; undefined for imported replies. */
function replyOf(call: Call | undefined, parts: readonly Part[]): Fields | undefined {
  if (!call) return undefined;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.tool_call_id, name: part.tool_name, args: part.args }] : [],
  );
  return {
    text: texts.join(''),
    model_version: call.model,
    input_tokens: call.usage?.input_tokens ?? 0,
    output_tokens: call.usage?.output_tokens ?? 0,
    tool_calls: calls,
    partial: false,
    raw_message: null,
  };
}

/** Returns the field of an event for a reply that the log has a record of. */
function withReply(reply: Fields | undefined): Partial<Event> {
  return reply ? { llm_response: reply } : {};
}

function imagePart(url: string): Part {
  const [, mime = null, data = null] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  const source = { uri: data === null ? url : null, inline_bytes: data, mime_type: mime };
  return { type: 'file', ...source, name: null, metadata: {} };
}
