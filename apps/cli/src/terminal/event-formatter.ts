import { text, textOf, type BaseEvent } from '@varve/events';
import { effectFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { condenserLines, eventLines, partialReplyLines, safeText, type TextLine } from '@varve/events/text';

/** Finds the calls of results that do not follow them, as those of parallel calls. */
export class CallReminders {
  readonly #calls: Map<string, ActionEvent>;
  #lastId = '';

  /** @param earlier Calls whose results may come, and which are shown elsewhere. */
  constructor(earlier: readonly ActionEvent[] = []) {
    this.#calls = new Map(earlier.map((event) => [event.id, event]));
  }

  /** Returns the first line of the call of a result that is shown elsewhere than below it; none for other events. */
  next(event: BaseEvent, isShown: boolean): readonly TextLine[] {
    const id = this.#callOf(event);
    const lines = isShown ? this.of(id) : [];
    if (ActionEvent.is(event)) this.#calls.set(event.id, event);
    if (isShown) this.#lastId = ActionEvent.is(event) ? event.id : '';
    this.#calls.delete(id);
    return lines;
  }

  /** Returns the first line of a call, unless it was the last one that was shown. */
  of(callId: string): readonly TextLine[] {
    const call = this.#calls.get(callId);
    return call === undefined || callId === this.#lastId ? [] : [reminder(call)];
  }

  #callOf(event: BaseEvent): string {
    if (ObservationEvent.is(event) || UserRejectObservation.is(event)) return event.action_id;
    if (!AgentErrorEvent.is(event)) return '';
    return [...this.#calls.values()].findLast((call) => call.tool_call_id === event.tool_call_id)?.id ?? '';
  }
}

/**
 * Creates a function that formats events in order, with the sandbox of calls when it changes. A result that does not
 * follow its call repeats its first line; `earlier` are calls whose results may come, and which are shown elsewhere.
 */
export function eventFormatter(earlier: readonly ActionEvent[] = []): (event: BaseEvent) => readonly TextLine[] {
  const reminders = new CallReminders(earlier);
  let sandbox: string | undefined;
  return (event) => {
    const profile = effectFact.read(event)?.sandbox;
    if (profile !== undefined && profile !== sandbox) return [sandboxLine((sandbox = profile))];
    const lines = [...eventLines(shortMessage(event)), ...condenserLines(event), ...partialReplyLines(event)];
    return [...reminders.next(event, lines.length > 0), ...lines];
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
