import { eventCodec, type BaseEvent, type Message } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { messageBuilder, type Files } from '@varve/events/projections';
import type { LogReader } from '@varve/storage';
import { conversationTimeline, stateOf, type ConversationState } from '../log/conversation-state.ts';
import { branchEvents, diffRuns, type RunDifference } from './replay-conversation.ts';

/** A conversation after a number of events of its log. */
export interface LogPosition {
  readonly state: ConversationState;
  /** Files that the log recorded. */
  readonly files: Files;
  /** Events of the active branch, including condensed ones. */
  readonly events: readonly BaseEvent[];
  /** Messages of the next request. */
  readonly messages: readonly Message[];
}

/** Returns a conversation after its first `to` events, default all. Needs no lease, model and tool. */
export async function readPosition(log: LogReader, to?: number): Promise<LogPosition> {
  const codec = eventCodec(builtinKinds);
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(Math.min(from, to ?? from), to));
  const state = stateOf(timeline);
  const events = await branchEvents(log, codec, to);
  return { state, files: timeline.read('files'), events, messages: messageBuilder(codec)(state.view.events) };
}

/** Differences between two positions. */
export interface PositionDifferences {
  readonly events: readonly RunDifference[];
  /** Number of messages at the beginning of both requests that agree. */
  readonly sameMessages: number;
  /** SHA-256 of each file that differs; null if there is none, absent where the log did not record it. */
  readonly files: readonly { readonly path: string; readonly left?: string | null; readonly right?: string | null }[];
}

/** Compares two positions of one conversation or of two: messages, calls and results, next requests, and files. */
export function diffPositions(left: LogPosition, right: LogPosition): PositionDifferences {
  const differing = left.messages.findIndex((message, at) => {
    return JSON.stringify(message) !== JSON.stringify(right.messages[at]);
  });
  const paths = new Set([...left.files.records.keys(), ...right.files.records.keys()]);
  const files = Array.from(paths, (path) => {
    const [before, after] = [left, right].map((side) => side.files.records.get(path)?.change.after);
    return { path, ...(before !== undefined && { left: before }), ...(after !== undefined && { right: after }) };
  });
  return {
    events: diffRuns(left.events, right.events),
    sameMessages: differing === -1 ? left.messages.length : differing,
    files: files.filter((file) => file.left !== file.right),
  };
}
