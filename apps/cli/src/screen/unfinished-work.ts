import type { Conversation, ConversationState } from '@varve/agent';
import type { ActionEvent } from '@varve/events/kinds';
import type { PendingCall } from '@varve/events/projections';
import { eventLines, type TextLine } from '@varve/events/text';
import { askedOf, type Choice } from '@varve/host/people';
import { askChoice } from './ask-choice.ts';
import type { Screen } from './screen.ts';

/** Shows what the last process of a conversation left open, and asks whether to continue, until a signal aborts. */
export async function asksToContinue(
  { state }: Pick<Conversation, 'state'>,
  screen: Screen,
  signal?: AbortSignal,
): Promise<boolean> {
  const unfinished = unfinishedWork(state);
  if (!unfinished) return false;
  screen.printLines(unfinished.lines);
  const choices: readonly Choice[] = [
    { id: 'y', label: 'yes' },
    { id: 'n', label: 'not now (/continue does it later)', isRefusal: true },
  ];
  return (await askChoice({ title: unfinished.question, choices }, screen, signal)) === 'y';
}

/** What a conversation was doing when its last process ended. */
interface UnfinishedWork {
  readonly lines: readonly TextLine[];
  /** Question whether to continue with it. */
  readonly question: string;
}

/** Returns what was in progress when the last process of a conversation ended; undefined if nothing was. */
function unfinishedWork({
  status,
  pending,
}: Pick<ConversationState, 'status' | 'pending'>): UnfinishedWork | undefined {
  if (status === 'waiting_for_confirmation') {
    return { lines: [warning(`${waitingCalls(pending)} for your approval.`)], question: 'Decide about it now?' };
  }
  if (status !== 'running') return undefined;
  const started = pending.filter(({ hasEffect }) => hasEffect);
  const others = pending.filter(({ hasEffect }) => !hasEffect);
  const lines = [
    warning('The last process of this conversation ended in the middle of its work.'),
    ...callLines('was running, and its result is unknown', started),
    ...callLines('was not started', others),
    ...(pending.length === 0 ? [warning('The model was asked for its next step.')] : []),
  ];
  return { lines, question: 'Continue where it stopped?' };
}

/** Returns how many calls wait for a decision, as the beginning of a sentence. */
export function waitingCalls(pending: readonly PendingCall[]): string {
  const { length } = askedOf(pending);
  return length === 1 ? '1 call waits' : `${length} calls wait`;
}

function callLines(what: string, calls: readonly PendingCall[]): readonly TextLine[] {
  return calls.flatMap(({ event }) => {
    const quiet: ActionEvent = { ...event, thought: [] };
    return [warning(`This call ${what}:`), ...eventLines(quiet).slice(0, 1)];
  });
}

function warning(text: string): TextLine {
  return { mark: 'warning', text };
}
