import type { OutsideQuestion } from '@varve/agent';
import type { AskForServer } from '@varve/tools/mcp';
import { taskQueue } from '../queues.ts';
import { answerServer } from './answer-server.ts';
import { CallDecisions, type CallDecisionsOptions, type WaitingConversation } from './call-decisions.ts';
import type { ChoiceQuestion, Person } from './person.ts';

/** Options of {@link Questions}. */
export interface QuestionsOptions extends CallDecisionsOptions {
  /** True if nothing is asked before the first {@link Questions.open}. */
  readonly isClosed?: boolean;
}

const never = new AbortController().signal;

/**
 * What a person is asked while an agent works, one question at a time, since sub-agents work in parallel; and what was
 * allowed for the session. Once the signal of `open` aborts, nothing is asked, and the answer is no.
 */
export class Questions {
  readonly #person: Person;
  readonly #options: QuestionsOptions;
  readonly #inTurn = taskQueue();
  readonly #allowedHosts = new Set<string>();
  #decisions: CallDecisions;
  #signal: AbortSignal;

  constructor(person: Person, options: QuestionsOptions) {
    this.#person = person;
    this.#options = options;
    this.#decisions = new CallDecisions(person, options);
    this.#signal = options.isClosed ? AbortSignal.abort() : never;
  }

  /** Asks from now on, until the signal aborts. */
  open(signal: AbortSignal): void {
    this.#signal = signal;
  }

  /** Forgets what was allowed for the session. */
  endApprovals(): void {
    this.#decisions = new CallDecisions(this.#person, this.#options);
    this.#allowedHosts.clear();
  }

  /** Asks about calls that wait, as {@link CallDecisions.decide} does. */
  async decide(conversation: WaitingConversation, signal: AbortSignal, subAgent?: string): Promise<boolean> {
    return this.#inTurn(async () => this.#decisions.decide(conversation, signal, subAgent));
  }

  /** Reports whether decisions are missing, as {@link CallDecisions.isPartlyDecided} does. */
  isPartlyDecided(conversation: WaitingConversation): boolean {
    return this.#decisions.isPartlyDecided(conversation);
  }

  /** Asks whether programs may connect to a host that no rule names. */
  async allowsHost(host: string, workspace: string): Promise<boolean> {
    if (this.#allowedHosts.has(host)) return true;
    const answer = await this.#choose(
      {
        title: `A program in the sandbox connects to ${host}. Allow it?`,
        choices: [
          { id: 'y', label: 'for this session', allows: 'once' },
          { id: 'a', label: `always in this project: allow host ${host}`, allows: 'always' },
          { id: 'n', label: 'no', isRefusal: true },
        ],
      },
      this.#signal,
    );
    if (answer === 'a') await this.#options.addRules([{ decision: 'allow', on: 'host', pattern: host }], workspace);
    if (answer === 'y') this.#allowedHosts.add(host);
    return answer === 'y' || answer === 'a';
  }

  /** Asks whether a call to which the sandbox refused something runs once more, outside of it. */
  async allowsOutside({ event, refusal, ...place }: OutsideQuestion, signal: AbortSignal): Promise<boolean> {
    const question: ChoiceQuestion = {
      title: `${refusal.title} Run this once outside of it, with all of your rights?`,
      texts: refusal.claims,
      call: { event, place },
      choices: [
        { id: 'y', label: 'run it once outside, in a fresh shell', allows: 'once' },
        { id: 'n', label: 'no', isRefusal: true },
      ],
    };
    return (await this.#choose(question, AbortSignal.any([signal, this.#signal]))) === 'y';
  }

  /** Asks what a server of tools asks for. */
  async answersServer(...[question, signal]: Parameters<AskForServer>): ReturnType<AskForServer> {
    const either = AbortSignal.any([signal, this.#signal]);
    return this.#inTurn(async () => (either.aborted ? 'cancel' : answerServer(question, this.#person, either)));
  }

  /** Asks after the questions before; undefined if the signal has aborted. */
  async #choose(question: ChoiceQuestion, signal: AbortSignal): Promise<string | undefined> {
    return this.#inTurn(async () => (signal.aborted ? undefined : this.#person.choose(question, signal)));
  }
}
