import { maskFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { hasImages, withMask, type View, type ViewMask } from '@varve/events/projections';
import { LlmError, type LlmErrorCode, type ModelReply } from '@varve/llm';
import type { Session } from '../agent/session.ts';
import type { PreparedRequest } from '../request/request.ts';

/** Reply of the model, and the request that it answers. */
export interface Answer {
  readonly reply: ModelReply;
  readonly prepared: PreparedRequest;
}

/** Sends the request for a view. */
type AskAbout = (view: View) => Promise<Answer>;

/** Failures of a request that fails again for as long as it contains the same content. */
const refusals: ReadonlySet<LlmErrorCode> = new Set(['bad-request', 'unsupported', 'malformed-history']);

/** Statuses of such failures with codes that also have other causes, such as a full context. */
const refusalStatuses: ReadonlySet<number | undefined> = new Set([413, 500]);

/** Longest part of the provider's message in a note to the model, in UTF-16 units. */
const maxProblemLength = 300;

/**
 * Asks about a view. When the provider refuses the request, whatever its words, it is sent again without the content
 * that the last answered request did not contain, or that this provider has not answered yet: images, and after a
 * refusal by its content policy also results of tools. If that works, a mask is stored, so that no later request
 * contains the content: the log would send it again at each step.
 *
 * @throws the error of the first request, if none is answered.
 */
export async function askWithoutRefused(session: Session, ask: AskAbout, signal: AbortSignal): Promise<Answer> {
  const { journal, maskBeginning, agent } = session;
  const view = journal.timeline.read('view');
  try {
    return await ask(view);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const refusal = maskBeginning(error.message);
    const { vision } = agent.model.capabilities;
    for (const mask of masksFor(view, error, { refusal, vision })) {
      if (signal.aborted) break;
      const answer = await ask({ ...view, events: withMask(view.events, mask) }).catch(rethrowUnlessFailed);
      if (!answer) continue;
      const fact = { ...mask, event_ids: [...mask.event_ids], refusal };
      await journal.emit([{ make: (stamp) => maskFact.create(fact, stamp) }]);
      return answer;
    }
    throw error;
  }
}

/** Reports whether the provider refused the request before it answered any of it. */
function isRefusal(error: unknown): error is LlmError {
  if (!(error instanceof LlmError) || error.partial) return false;
  // Without a status, a content policy stopped the reply.
  const isPolicy = error.code === 'refused' && error.status !== undefined;
  return isPolicy || refusals.has(error.code) || refusalStatuses.has(error.status);
}

function rethrowUnlessFailed(error: unknown): undefined {
  if (!(error instanceof LlmError)) throw error;
}

/** Returns what may be left out of a refused request, least first. */
function masksFor(
  { events }: View,
  { code, status }: LlmError,
  { refusal, vision }: { readonly refusal: string; readonly vision: boolean },
): readonly ViewMask[] {
  const lastReply = events.findLastIndex(
    (event) => ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent'),
  );
  // A model without sight was sent none.
  const images = vision ? events.filter(hasImages) : [];
  const added = new Set(events.slice(lastReply + 1));
  const newImages = images.filter((event) => added.has(event));
  const results = code === 'refused' ? [...added].filter((event) => ObservationEvent.is(event)) : [];
  const problem = refusal.slice(0, maxProblemLength);
  const noteOf = (what: string): string => `[${what} left out, because the provider refused it: ${problem}]`;
  const imageMask = (masked: typeof images): ViewMask => ({
    event_ids: masked.map(({ id }) => id),
    text: noteOf('An image is'),
    only: 'images',
  });
  return [
    imageMask(newImages),
    // Images that were answered once are hardly the cause of a failure of the server.
    ...(newImages.length < images.length && status !== 500 ? [imageMask(images)] : []),
    { event_ids: results.map(({ id }) => id), text: noteOf('The result of this call is') },
  ].filter(({ event_ids: ids }) => ids.length > 0);
}
