import type { BaseEvent } from '../define-event.ts';
import { partialReplyFact } from '../facts/partial-reply.ts';
import { safeText } from '../safe-text/safe-text.ts';
import type { TextLine } from './text-line.ts';

/**
 * Renders the beginning of a reply that was never completed: its text, and that it is not whole. Returns no lines for
 * other events. Apart from `eventLines`, because pages that show conversations need no facts.
 */
export function partialReplyLines(event: BaseEvent): readonly TextLine[] {
  const partial = partialReplyFact.read(event);
  const text = safeText(partial?.text.trim() ?? '');
  if (text === '') return [];
  return [{ text }, { mark: 'quiet', text: '… (the reply was not completed; the model does not see it)' }];
}
