import { type BaseEvent, eventCodec, type EventKind } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  ObservationEvent,
  UserRejectObservation,
  builtinKinds,
} from '@varve/events/kinds';
import type { Observation, Payload } from '@varve/events/payloads';
import { ToolError, type Tool } from '@varve/tools';
import { LlmError, type LanguageModel } from '@varve/llm';
import type { LogReader } from '@varve/storage';
import { messageDigester } from '../log/digest.ts';
import { recordedReplies } from './recorded-replies.ts';

/** A model that returns the replies of a log. */
export interface RecordedModel extends LanguageModel {
  /** Number of replies in the log. */
  readonly length: number;
  /** Numbers, from 0, of the requests that differed from the recorded ones. */
  readonly diverged: readonly number[];
}

/**
 * Answers the n-th request with the n-th reply of a log, whatever the request: with real tools, it shows what has
 * changed around the model. `afterwards` answers the requests beyond the last recorded one; without it, they reject
 * with `script-mismatch`.
 */
export async function recordedModel(
  log: LogReader,
  kinds: readonly EventKind[] = [],
  afterwards?: LanguageModel,
): Promise<RecordedModel> {
  const replies = await recordedReplies(log, eventCodec([...builtinKinds, ...kinds]));
  const digest = messageDigester();
  const diverged: number[] = [];
  let next = 0;
  return {
    spec: { kind: 'recorded', conversation: log.id },
    name: replies[0]?.reply.model ?? 'recorded',
    capabilities: afterwards?.capabilities ?? { functionCalling: true, vision: true, streaming: false },
    length: replies.length,
    diverged,
    async generate(request, options = {}) {
      const { signal } = options;
      if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
      const number = next++;
      const recorded = replies[number];
      if (!recorded && afterwards) return afterwards.generate(request, options);
      if (!recorded) {
        throw new LlmError(
          'script-mismatch',
          `Request ${number + 1} has no recorded reply: the log has ${replies.length}.`,
        );
      }
      if (recorded.digests && digest(request.messages) !== recorded.digests.messages) diverged.push(number);
      return recorded.reply;
    },
  };
}

/** Recorded result of a call: an observation, or an error message. */
type Outcome = Observation | string;

/**
 * Returns the tools with recorded results instead of executions: a call gets the result of the same call in the events
 * of a run, and repeated calls get their results in order. A call that the run does not contain, or that was rejected,
 * fails.
 */
export function recordedTools(tools: readonly Tool[], events: readonly BaseEvent[]): readonly Tool[] {
  const outcomes = recordedOutcomes(events);
  return tools.map((tool) => ({
    ...tool,
    // What the tool itself keeps is not used here, and may belong to another conversation.
    close: async () => undefined,
    async execute(input, { signal }) {
      if (signal.aborted) throw new ToolError('aborted', 'The call was cancelled.', { cause: signal.reason });
      const outcome = outcomes.get(keyOf(tool.name, tool.toAction(input)))?.shift();
      if (outcome === undefined) throw new ToolError('unusable', 'No result of this call was recorded.');
      if (typeof outcome === 'string') throw new ToolError('unusable', outcome);
      return outcome;
    },
  }));
}

/** Returns the results by call, in the order of the calls. */
function recordedOutcomes(events: readonly BaseEvent[]): ReadonlyMap<string, Outcome[]> {
  const byAction = new Map<string, Outcome>();
  const byCallId = new Map<string, Outcome>();
  for (const event of events) {
    if (ObservationEvent.is(event)) byAction.set(event.action_id, event.observation);
    else if (UserRejectObservation.is(event)) byAction.set(event.action_id, event.rejection_reason);
    else if (AgentErrorEvent.is(event)) {
      byCallId.set(event.tool_call_id, event.error.replace(`${event.tool_name} failed: `, ''));
    }
  }
  const outcomes = new Map<string, Outcome[]>();
  for (const event of events) {
    if (!ActionEvent.is(event) || !event.action) continue;
    const outcome = byAction.get(event.id) ?? byCallId.get(event.tool_call_id);
    if (outcome === undefined) continue;
    const key = keyOf(event.tool_name, event.action);
    outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]);
  }
  return outcomes;
}

function keyOf(name: string, action: Payload): string {
  return `${name} ${JSON.stringify(action)}`;
}
