import type { ConversationState } from '@varve/agent';
import { isAsked, type Questions } from '@varve/host/people';
import type { ServedConversation } from './served-conversation.ts';

/** Reports whether calls of a conversation wait for a decision of a person. */
export function isUndecided({ status, pending }: Pick<ConversationState, 'status' | 'pending'>): boolean {
  const isOpen = pending.some((call) => call.approvedDigest === undefined && isAsked(call));
  return status === 'waiting_for_confirmation' && isOpen;
}

/** Returns the questions about calls that wait on a server, one state at a time. */
export function serverQuestions(questions: Pick<Questions, 'decide'>, report: (error: unknown) => void) {
  let asked: AbortController | undefined;
  let isWantedAgain = false;
  /** Leaves the question undecided. */
  const cancel = (): void => {
    isWantedAgain = false;
    asked?.abort();
  };
  return {
    cancel,
    /** Asks about the calls of the state now, and continues on the server, unless that is being asked. */
    ask(served: ServedConversation, stateNow: () => Promise<ConversationState>, workspace: string): void {
      isWantedAgain = asked?.signal.aborted ?? false;
      if (asked) return;
      const { signal } = (asked = new AbortController());
      const decide = async (): Promise<void> => {
        const state = await stateNow();
        if (!isUndecided(state)) return;
        if (await questions.decide(served.reviewed(state, workspace), signal)) await served.continue();
      };
      void decide()
        .catch(report)
        .finally(() => {
          asked = undefined;
          // Other calls wait since the end of these was seen.
          if (isWantedAgain) this.ask(served, stateNow, workspace);
        });
    },
    /** Leaves the question undecided, and interrupts a run on the server. Returns false without one. */
    interrupt(served: ServedConversation | undefined): boolean {
      cancel();
      void served?.interrupt().catch(report);
      return served !== undefined;
    },
  };
}
