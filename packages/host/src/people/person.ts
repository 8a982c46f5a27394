import type { CallPlace, WaitingCall } from './waiting-call.ts';

/** Decision of a person about one call; `later` leaves all waiting calls as they are. */
export type Approval = 'once' | 'session' | 'always' | 'later' | { readonly reason: string } | EditedCommand;

/** Command that runs in place of that of a call: its result is the rejection of the call. */
export interface EditedCommand {
  readonly command: string;
}

/** Question about a call that waits, and its place among those that are asked about. */
export interface CallQuestion {
  readonly call: WaitingCall;
  readonly place: CallPlace;
  /** Name of the sub-agent that wants to make the call; undefined for the agent. */
  readonly subAgent?: string | undefined;
  /** Why the command that the person typed before cannot run in place of this call. */
  readonly problem?: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** Answer that a question offers. */
export interface Choice {
  /** Letters that stand for it. */
  readonly id: string;
  readonly label: string;
  /** What it allows; absent for an answer that allows nothing by itself. */
  readonly allows?: 'once' | 'always';
  /** True for the answer that allows nothing. */
  readonly isRefusal?: true;
}

/** Question with answers to choose from. */
export interface ChoiceQuestion {
  readonly title: string;
  /** Texts of others below the title, of which every character is visible. */
  readonly texts?: readonly string[];
  /** Call that the question is about. */
  readonly call?: WaitingCall & { readonly place: CallPlace };
  readonly choices: readonly Choice[];
}

/** Person who is asked while an agent works: what each face implements. Questions come one at a time. */
export interface Person {
  /** Asks about one call. The end of the input and an abort decide nothing: `later`. */
  approve(question: CallQuestion, signal: AbortSignal): Promise<Approval>;
  /** Returns the id of the chosen answer; undefined if none was chosen, or the signal aborts. */
  choose(question: ChoiceQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Returns what is typed. Absent where a person cannot type: then what a server of tools asks for is cancelled. */
  type?(title: string, signal: AbortSignal): Promise<string | undefined>;
  /** Opens an address that a server of tools named and the person accepted. */
  openAddress?(address: URL): void;
}
