import { type BaseEvent, eventCodec, type EventCodec } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
  builtinKinds,
} from '@varve/events/kinds';
import { Timeline, type Projection } from '@varve/events/projections';
import type { EventStore, LogReader } from '@varve/storage';
import type { Agent } from '../agent/agent.ts';
import { closeUnowned } from '../agent/toolset.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import type { EndReason } from '../run/run-result.ts';
import { recordedModel, recordedTools } from './recorded-model.ts';

/** Options of {@link replayConversation}. */
export interface ReplayOptions extends Pick<ConversationOptions, 'secrets' | 'kinds'> {
  /** Agent of the new conversation. Its tools run in `workspace`, unless results are `recorded`. */
  readonly agent: Agent;
  /** Store of the new conversation. */
  readonly store: EventStore;
  readonly workspace: string;
  /**
   * `recorded`: the replies of the log; `live`: the agent's model is called; `recorded-then-live`: it is called after
   * the last reply of the log, so that the task continues where the log ends.
   */
  readonly replies: 'recorded' | 'live' | 'recorded-then-live';
  /**
   * `recorded`: no tool runs, and a call gets the result of the same recorded call; `live`: tools run. There is no
   * default, because another person may have chosen the recorded calls and messages: nothing shows that of a bundle
   * that was only read.
   */
  readonly results: 'recorded' | 'live';
}

/** Result of a replay. */
export interface Replayed {
  /** Id of the new conversation. */
  readonly conversationId: string;
  /** End reason of each run, one per message of the user. */
  readonly reasons: readonly EndReason[];
  /** Differences between the recorded conversation (left) and the new one (right). */
  readonly differences: readonly RunDifference[];
}

/**
 * Sends the user's messages on the active branch of a recorded conversation to a new one, runs it after each message,
 * and compares the two. Messages that were sent during a run are sent after it. With recorded replies and recorded
 * results no model is called and no tool runs: any difference then comes from the agent itself.
 *
 * @throws {AgentError} {@link StorageError} as a conversation does.
 */
export async function replayConversation(log: LogReader, options: ReplayOptions): Promise<Replayed> {
  const { agent, store, workspace, replies, results, kinds = [], secrets = [] } = options;
  const codec = eventCodec([...builtinKinds, ...kinds]);
  const recorded = await branchEvents(log, codec);
  const afterwards = replies === 'recorded-then-live' ? agent.model : undefined;
  const model = replies === 'live' ? agent.model : await recordedModel(log, kinds, afterwards);
  const withoutRuns: Agent['tools'] = (context) => {
    const made = agent.tools(context);
    void closeUnowned(made);
    return recordedTools(made, recorded);
  };
  const tools = results === 'live' ? agent.tools : withoutRuns;
  const replaying = { agent: { ...agent, model, tools }, store, workspace, kinds, secrets };
  await using conversation = await Conversation.create(replaying);
  const reasons: EndReason[] = [];
  for (const event of recorded) {
    if (!MessageEvent.is(event) || event.source !== 'user') continue;
    await conversation.send(event.llm_message.content);
    reasons.push((await conversation.run()).reason);
  }
  const replayed = await branchEvents(await store.read(conversation.id), codec);
  return { conversationId: conversation.id, reasons, differences: diffRuns(recorded, replayed) };
}

const branchProjection: Projection<BaseEvent[]> = {
  name: 'branch-events',
  version: 1,
  scope: 'branch',
  initial: () => [],
  apply(events, event) {
    events.push(event);
    return events;
  },
  read: (events) => events,
  encode: () => null,
  decode: () => [],
};

/** Returns the events of the active branch after `to` events, including condensed ones. */
export async function branchEvents(log: LogReader, codec: EventCodec, to?: number): Promise<readonly BaseEvent[]> {
  const timeline = new Timeline({ codec, projections: { events: branchProjection } });
  await timeline.load((from) => log.range(Math.min(from, to ?? from), to));
  return timeline.read('events');
}

/** Difference between two runs; a side is absent where only the other has an event. */
export interface RunDifference {
  /** Number of the event among the compared ones, from 0. */
  readonly at: number;
  readonly left?: BaseEvent;
  readonly right?: BaseEvent;
}

/**
 * Returns the differences between two runs in messages, calls and results, event by event. Ids, times and states are
 * not compared. The common beginning and end are skipped, and the events between them are paired in order. Empty for
 * equal runs.
 */
export function diffRuns(left: readonly BaseEvent[], right: readonly BaseEvent[]): readonly RunDifference[] {
  const [mine, yours] = [left.flatMap(comparable), right.flatMap(comparable)];
  const shorter = Math.min(mine.length, yours.length);
  let start = 0;
  while (start < shorter && mine[start]?.text === yours[start]?.text) start++;
  let end = 0;
  while (end < shorter - start && mine.at(-1 - end)?.text === yours.at(-1 - end)?.text) end++;
  const [middle, other] = [mine.slice(start, mine.length - end), yours.slice(start, yours.length - end)];
  return Array.from({ length: Math.max(middle.length, other.length) }, (_, index) => index).flatMap((index) => {
    const [one, two] = [middle[index], other[index]];
    if (one?.text === two?.text) return [];
    return [{ at: start + index, ...(one && { left: one.event }), ...(two && { right: two.event }) }];
  });
}

interface Comparable {
  readonly event: BaseEvent;
  readonly text: string;
}

function comparable(event: BaseEvent): readonly Comparable[] {
  const content = contentOf(event);
  return content === undefined ? [] : [{ event, text: JSON.stringify([event.kind, event.source, content]) }];
}

function contentOf(event: BaseEvent): unknown {
  if (MessageEvent.is(event)) return event.llm_message.content;
  if (ActionEvent.is(event)) return [event.thought, event.tool_name, event.action ?? event.tool_call.arguments];
  if (ObservationEvent.is(event)) return [event.tool_name, event.observation];
  if (AgentErrorEvent.is(event)) return [event.tool_name, event.error];
  if (UserRejectObservation.is(event)) return [event.tool_name, event.rejection_reason];
  if (Condensation.is(event)) return [event.forgotten_event_ids.length, event.summary];
  return undefined;
}
