import type { BaseEvent } from '@varve/events';
import { effectFact } from '@varve/events/facts';
import { ActionEvent, ObservationEvent } from '@varve/events/kinds';
import { condenserLines, eventLines, partialReplyLines, safeText, type TextLine } from '@varve/events/text';

/**
 * Creates a function that formats events in order, with the sandbox of calls when it changes. A result that does not
 * follow its call repeats its first line; `earlier` are calls whose results may come, and which are shown elsewhere.
 */
export function eventFormatter(earlier: readonly ActionEvent[] = []): (event: BaseEvent) => readonly TextLine[] {
  const calls = new Map(earlier.map((event) => [event.id, event]));
  let lastCallId = '';
  let sandbox: string | undefined;
  return (event) => {
    const profile = effectFact.read(event)?.sandbox;
    if (profile !== undefined && profile !== sandbox) return [sandboxLine((sandbox = profile))];
    const lines = [...eventLines(event), ...condenserLines(event), ...partialReplyLines(event)];
    if (ActionEvent.is(event)) calls.set(event.id, event);
    const call = ObservationEvent.is(event) ? calls.get(event.action_id) : undefined;
    const isApart = call !== undefined && call.id !== lastCallId;
    if (lines.length > 0) lastCallId = ActionEvent.is(event) ? event.id : '';
    if (call) calls.delete(call.id);
    return isApart && lines.length > 0 ? [reminder(call), ...lines] : lines;
  };
}

function sandboxLine(profile: string): TextLine {
  const text = profile === 'off' ? 'outside of the sandbox' : `in the sandbox (profile ${profile})`;
  return { mark: 'quiet', text: safeText(text) };
}

function reminder(call: ActionEvent): TextLine {
  const title: ActionEvent = { ...call, thought: [] };
  const [line] = eventLines(title);
  const [first = ''] = line?.text.split('\n') ?? [];
  return { mark: 'quiet', text: `↳ ${first}` };
}
