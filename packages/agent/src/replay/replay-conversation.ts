import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds, MessageEvent } from '@varve/events/kinds';
import type { EventStore, LogReader } from '@varve/storage';
import type { Agent } from '../agent/agent.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { readState } from '../log/read-log.ts';
import type { EndReason } from '../run/run-result.ts';
import { diffRuns, type RunDifference } from './diff-runs.ts';
import { recordedModel } from './recorded-model.ts';
import { recordedTools } from './recorded-tools.ts';

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
  const recorded = await branchOf(log, kinds);
  const afterwards = replies === 'recorded-then-live' ? agent.model : undefined;
  const model = replies === 'live' ? agent.model : await recordedModel(log, kinds, { afterwards });
  const tools: Agent['tools'] =
    results === 'live' ? agent.tools : (context) => recordedTools(agent.tools(context), recorded);
  const replaying = { agent: { ...agent, model, tools }, store, workspace, kinds, secrets };
  await using conversation = await Conversation.create(replaying);
  const reasons: EndReason[] = [];
  for (const event of recorded) {
    if (!MessageEvent.is(event) || event.source !== 'user') continue;
    await conversation.send(event.llm_message.content);
    reasons.push((await conversation.run()).reason);
  }
  const replayed = await branchOf(await store.read(conversation.id), kinds);
  return { conversationId: conversation.id, reasons, differences: diffRuns(recorded, replayed) };
}

/** Returns the events of the active branch, including condensed ones. */
async function branchOf(
  log: LogReader,
  kinds: NonNullable<ConversationOptions['kinds']>,
): Promise<readonly BaseEvent[]> {
  const codec = eventCodec([...builtinKinds, ...kinds]);
  const { leafId } = await readState(log, { codec });
  const events = new Map<string, BaseEvent>();
  const order: BaseEvent[] = [];
  for await (const { text } of log.range(0)) {
    const event = codec.read(text);
    events.set(event.id, event);
    order.push(event);
  }
  const branch = new Set<string>();
  for (let id = leafId; id !== undefined && !branch.has(id); id = events.get(id)?.parent_id) branch.add(id);
  return order.filter(({ id }) => branch.has(id));
}
