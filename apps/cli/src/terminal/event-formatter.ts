import { text, textOf, type BaseEvent } from '@varve/events';
import { effectFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
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
    const lines = [...eventLines(shortMessage(event)), ...condenserLines(event), ...partialReplyLines(event)];
    if (ActionEvent.is(event)) calls.set(event.id, event);
    const call = ObservationEvent.is(event) ? calls.get(event.action_id) : undefined;
    const isApart = call !== undefined && call.id !== lastCallId;
    if (lines.length > 0) lastCallId = ActionEvent.is(event) ? event.id : '';
    if (call) calls.delete(call.id);
    return isApart && lines.length > 0 ? [reminder(call), ...lines] : lines;
  };
}

/** What the user typed is shown whole, and of each text that was added to it the first line. */
function shortMessage(event: BaseEvent): BaseEvent {
  if (!MessageEvent.is(event) || event.source !== 'user') return event;
  const { content } = event.llm_message;
  const typed = content.find(({ type }) => type === 'text');
  const short = content.map((part) => {
    const [first = '', ...others] = part === typed || part.type !== 'text' ? [] : textOf([part]).split('\n');
    return others.length === 0 ? part : text(`${first} … (${others.length} more lines)`);
  });
  const shortened: MessageEvent = { ...event, llm_message: { ...event.llm_message, content: short } };
  return shortened;
}

function sandboxLine(profile: string): TextLine {
  const place = profile === 'off' ? 'outside of the sandbox' : `in the sandbox (profile ${profile})`;
  return { mark: 'quiet', text: safeText(place) };
}

function reminder(call: ActionEvent): TextLine {
  const title: ActionEvent = { ...call, thought: [] };
  const [line] = eventLines(title);
  const [first = ''] = line?.text.split('\n') ?? [];
  return { mark: 'quiet', text: `↳ ${first}` };
}
