import { eventCodec, type BaseEvent, type EventCodec, type EventKind } from '@varve/events';
import { callFact, parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { messageBuilder, messagesVersion, Timeline, viewProjection } from '@varve/events/projections';
import type { LogReader } from '@varve/storage';
import { digestOfJson, messageDigester } from '../log/digest.ts';

/** Whether the request that a reply answered can be made again from the log. */
export interface RequestCheck {
  /** Where the fact of the reply lies. */
  readonly seq: number;
  readonly responseId: string;
  /**
   * `differs`: the log does not give these messages, so it or a projection was changed. `older-projection`: neither does it
   * give them now, but they were made by a projection of another version.
   */
  readonly messages: 'same' | 'differs' | 'older-projection';
  /** Whether the tool list is in the log, and is what its digest says. */
  readonly tools: 'same' | 'differs' | 'missing';
  /** Whether the parameters are in the log, and are what their digest says. Logs from before they were stored lack them. */
  readonly parameters: 'same' | 'differs' | 'missing';
}

/** How a log is read. */
export interface VerifyOptions {
  /** Event kinds of your own that the conversation was opened with. */
  readonly kinds?: readonly EventKind[];
}

/**
 * Makes every request of a log again from what lay before its reply, and compares it with the digests the reply was stored
 * with. One check per reply, in order; pure, and no model and no tool is needed.
 */
export async function* verifyRequests(log: LogReader, { kinds = [] }: VerifyOptions = {}): AsyncIterable<RequestCheck> {
  const codec = eventCodec([...builtinKinds, ...kinds]);
  const timeline = viewTimeline(codec);
  const digest = messagesDigest(codec);
  const known = new Map([[digestOfJson({}), true]]);
  for await (const { seq, id, text } of log.range(0)) {
    const event = codec.read(text);
    note(event, known);
    const call = callFact.read(event);
    // What other models were asked, condensers for instance, is not made of the view.
    if (call?.usage_id === 'agent') {
      const isSame =
        digest(timeline.read('view').events) === call.digests.messages || (await wasEarlier(log, codec, seq, call));
      yield {
        seq,
        responseId: call.response_id,
        messages: isSame ? 'same' : isOlder(call, codec) ? 'older-projection' : 'differs',
        tools: verdictOf(known.get(call.digests.tools)),
        parameters: verdictOf(known.get(call.digests.parameters)),
      };
    }
    if (!timeline.push(event, seq, id)) await timeline.refold((from) => log.range(from));
  }
}

function viewTimeline(codec: EventCodec) {
  return new Timeline({ codec, projections: { view: viewProjection(codec) } });
}

function messagesDigest(codec: EventCodec): (events: readonly BaseEvent[]) => string {
  const messagesOf = messageBuilder(codec);
  const digest = messageDigester();
  return (events) => digest(messagesOf(events));
}

/** So many events, besides facts, may have come while the model wrote. */
const mostMeanwhile = 32;

/** Kinds that are nobody's own. */
const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));

/** What the user said while the model wrote lies before its reply, and was not in its request. */
async function wasEarlier(log: LogReader, codec: EventCodec, seq: number, { digests }: Call): Promise<boolean> {
  const digest = messagesDigest(codec);
  for (let end = seq - 1, left = mostMeanwhile; end >= 0 && left > 0; end--) {
    const event = codec.read((await log.at(end)).text);
    if (ConversationStateUpdateEvent.is(event)) continue;
    left -= 1;
    // While the model writes only the user speaks, and the owner records: behind anything else is nothing to look for.
    if (event.source !== 'user' && builtin.has(event.kind)) return false;
    const timeline = viewTimeline(codec);
    await timeline.load((from) => log.range(Math.min(from, end), end));
    if (digest(timeline.read('view').events) === digests.messages) return true;
  }
  return false;
}

function isOlder({ projections }: Call, codec: EventCodec): boolean {
  return projections['view'] !== viewProjection(codec).version || projections['messages'] !== messagesVersion;
}

function note(event: BaseEvent, known: Map<string, boolean>): void {
  const toolset = toolsetFact.read(event);
  if (toolset) known.set(toolset.digest, digestOfJson(toolset.tools) === toolset.digest);
  const asked = parametersFact.read(event);
  if (asked) known.set(asked.digest, digestOfJson(asked.parameters) === asked.digest);
}

function verdictOf(isSame: boolean | undefined): RequestCheck['tools'] {
  return isSame === undefined ? 'missing' : isSame ? 'same' : 'differs';
}
