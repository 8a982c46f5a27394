import { eventCodec, type BaseEvent, type EventCodec, type Message } from '@varve/events';
import { maskFact, parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { messageBuilder, messagesVersion, viewProjection, withMask, type ViewMask } from '@varve/events/projections';
import type { LogReader, Stored } from '@varve/storage';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { digestOfJson, messageDigester } from '../log/digest.ts';
import { isCustomEvent } from '../log/mask-event.ts';
import { requestBuilder, viewTimeline, type ViewFold } from './rebuilt-requests.ts';

/** Result of rebuilding the request of one reply from the log. */
export interface RequestCheck {
  /** Seq of the reply's fact. */
  readonly seq: number;
  readonly responseId: string;
  /**
   * `differs`: the rebuilt messages differ, so the log or a projection was changed. `older-projection`: they differ,
   * and were made by a projection of another version.
   */
  readonly messages: 'same' | 'differs' | 'older-projection';
  /** Comparison of the stored tool list with its digest. */
  readonly tools: 'same' | 'differs' | 'missing';
  /** Comparison of the stored parameters with their digest. Older logs do not contain parameters. */
  readonly parameters: 'same' | 'differs' | 'missing';
}

/**
 * Rebuilds every request of a log from the events before its reply, and compares it with the digests that were stored
 * with the reply. Yields one check per reply, in order. Pure; needs no model and no tool.
 */
export async function* verifyRequests(
  log: LogReader,
  { kinds = [] }: Pick<ConversationOptions, 'kinds'> = {},
): AsyncIterable<RequestCheck> {
  const codec = eventCodec([...builtinKinds, ...kinds]);
  const check = requestVerifier(log, codec, viewTimeline(codec));
  for await (const stored of log.range(0)) {
    const checked = await check(stored);
    if (checked) yield checked;
  }
}

/** Returns a function that checks the next event of a log as {@link verifyRequests} does, and adds it to the fold. */
export function requestVerifier(
  log: LogReader,
  codec: EventCodec,
  timeline: ViewFold,
): (stored: Stored) => Promise<RequestCheck | undefined> {
  const rebuild = requestBuilder(log, codec, timeline);
  const digest = messageDigester();
  const known = new Map([[digestOfJson({}), true]]);
  return async (stored) => {
    const { seq, event, call, request } = await rebuild(stored);
    addDigests(event, known);
    if (!call || !request) return undefined;
    const isSame =
      digest(request.messages) === call.digests.messages ||
      (await earlierMessages(log, codec, seq, call)) !== undefined;
    return {
      seq,
      responseId: call.response_id,
      messages: isSame ? 'same' : isOlder(call, codec) ? 'older-projection' : 'differs',
      tools: comparisonOf(known.get(call.digests.tools)),
      parameters: comparisonOf(known.get(call.digests.parameters)),
    };
  };
}

/** Maximum number of events, not counting facts, that are assumed to have been stored during the model call. */
const maxConcurrentEvents = 32;

/**
 * Returns the messages of a request that was built from an earlier view, by the digest of its reply: messages that were
 * sent during the call precede its reply, and so does the mask of what was left out when the provider refused it.
 */
export async function earlierMessages(
  log: LogReader,
  codec: EventCodec,
  seq: number,
  { digests }: Call,
): Promise<readonly Message[] | undefined> {
  const [messagesOf, digest] = [messageBuilder(codec), messageDigester()];
  const masks: ViewMask[] = [];
  for (let end = seq - 1, left = maxConcurrentEvents; end >= 0 && left > 0; end--) {
    const event = codec.read((await log.at(end)).text);
    const mask = maskFact.read(event);
    if (mask) masks.unshift(mask);

    if (ConversationStateUpdateEvent.is(event)) continue;
    left -= 1;
    // During a call only the user's messages and custom events are stored: any other event precedes the request.
    if (event.source !== 'user' && !isCustomEvent(event)) return undefined;
    const timeline = viewTimeline(codec);
    await timeline.load((from) => log.range(Math.min(from, end), end));
    const { events } = timeline.read('view');
    const messages = messagesOf(masks.reduce<readonly BaseEvent[]>(withMask, events));
    if (digest(messages) === digests.messages) return messages;
  }
  return undefined;
}

function isOlder({ projections }: Call, codec: EventCodec): boolean {
  return projections['view'] !== viewProjection(codec).version || projections['messages'] !== messagesVersion;
}

function addDigests(event: BaseEvent, known: Map<string, boolean>): void {
  const toolset = toolsetFact.read(event);
  if (toolset) known.set(toolset.digest, digestOfJson(toolset.tools) === toolset.digest);
  const fact = parametersFact.read(event);
  if (fact) known.set(fact.digest, digestOfJson(fact.parameters) === fact.digest);
}

function comparisonOf(isSame: boolean | undefined): RequestCheck['tools'] {
  return isSame === undefined ? 'missing' : isSame ? 'same' : 'differs';
}
