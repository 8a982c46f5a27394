import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds, MessageEvent } from '@varve/events/kinds';
import type { EventStore, LogReader } from '@varve/storage';
import type { Agent } from '../agent.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { readState } from '../log/read-log.ts';
import type { EndReason } from '../run/run-result.ts';
import { diffRuns, type RunDifference } from './diff-runs.ts';
import { recordedModel } from './recorded-model.ts';
import { recordedTools } from './recorded-tools.ts';

/** What a log is replayed with. */
export interface ReplayOptions extends Pick<ConversationOptions, 'secrets' | 'kinds'> {
  /** Its tools really run, in `workspace`, unless results are `recorded`. */
  readonly agent: Agent;
  /** Where the new conversation is kept. */
  readonly store: EventStore;
  readonly workspace: string;
  /** `recorded`: the replies of the log; `live`: the agent's own model is asked. */
  readonly replies: 'recorded' | 'live';
  /** `recorded`: no tool runs, and a call gets the result that the same call had; `live` (default): tools run. */
  readonly results?: 'recorded' | 'live';
}

/** What came of a replay. */
export interface Replayed {
  /** The id of the new conversation. */
  readonly conversationId: string;
  /** How each run ended: one for each thing the user said. */
  readonly reasons: readonly EndReason[];
  /** Where the recorded conversation (left) and the new one (right) differ. */
  readonly differences: readonly RunDifference[];
}

/**
 * Says to a new conversation what the user said on the active branch of a recorded one, one thing after the other, runs it
 * each time, and tells where the two differ. What was said while a run was under way is said after it. With recorded replies
 * and recorded results nothing is asked and nothing carried out: what differs then is what the agent around them does.
 *
 * @throws {AgentError} {@link StorageError} as a conversation does.
 */
export async function replayConversation(log: LogReader, options: ReplayOptions): Promise<Replayed> {
  const { agent, store, workspace, replies, results = 'live', kinds = [], secrets = [] } = options;
  const recorded = await branchOf(log, kinds);
  const model = replies === 'recorded' ? await recordedModel(log, kinds) : agent.model;
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

/** What the model saw or was told on the active branch, also what was condensed away. */
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
