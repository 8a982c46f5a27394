import type { BaseEvent } from '@varve/events';
import { callFact, partialReplyFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent, UserRejectObservation } from '@varve/events/kinds';
import type { EventSink } from '@varve/host';
import { branchEnd, type FollowedLog } from '../conversations/branch-events.ts';
import { eventParts } from './event-parts.ts';
import type { Screen } from './screen.ts';

/** Events of the active branch that are shown of a stored conversation; earlier ones are counted. */
const shownEvents = 200;

/** Returns a sink that adds events to the transcript when they are stored, and what arrives of a reply before. */
export function transcriptOf(log: FollowedLog, screen: Screen): EventSink {
  return {
    addEvent: (event) => showEvent(event, log, screen),
    addDelta(delta) {
      screen.status.set(delta.kind === 'reasoning' ? 'thinking' : 'writing');
      screen.live.addDelta(delta);
      screen.draw();
    },
    addOutput(chunk, call) {
      screen.status.set(`running ${call.tool_name}`);
      screen.live.addOutput(chunk, call.id, screen.reminders.of(call.id));
      screen.draw();
    },
  };
}

/** Shows the end of the active branch of a log. */
export async function showBranch(log: FollowedLog, screen: Screen): Promise<void> {
  const { events, earlier } = await branchEnd(log, shownEvents);
  if (earlier > 0) screen.print(`… ${earlier} earlier events (/history shows all)`, 'dim');
  for (const event of events) showEvent(event, log, screen);
}

function showEvent(event: BaseEvent, { state, workspace }: FollowedLog, screen: Screen): void {
  const { theme, folding, live, footer, status } = screen;
  const isReply = ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
  if (isReply || partialReplyFact.read(event)) live.endReply();
  const isResult = ObservationEvent.is(event) || UserRejectObservation.is(event);
  if (isResult) live.endOutput();
  if (status.isActive && (isReply || isResult)) {
    const [running] = state.pending ?? [];
    status.set(running ? `running ${running.event.tool_name}` : 'waiting for the model');
  }
  const call = callFact.read(event);
  if (call?.usage_id === 'agent' && call.usage) footer.update({ contextTokens: call.usage.input_tokens });
  if (call) footer.update({ usage: state.stats.total });
  const parts = eventParts(event, { theme, folding, workspace });
  screen.printLines(screen.reminders.next(event, parts.length > 0));
  screen.add(parts);
}
