import type { Content, EventKind } from '@varve/events';
import type { EventStore } from '@varve/storage';
import type { ClientToolSpec } from '@varve/tools/client';
import type { Agent } from '../agent.ts';

/** What creating and opening a conversation have in common. */
export interface ConversationOptions {
  readonly agent: Agent;
  /** Not owned: the caller closes it after its conversations. */
  readonly store: EventStore;
  /** Values that must never reach the log: keys, passwords. Replaced in every event before it is stored. */
  readonly secrets?: readonly string[];
  /**
   * Event kinds of your own, beside the built-in ones. Opened without them, a log keeps their events as opaque ones, which
   * the model does not see. Names differ from each other and from the built-in ones: anything else is a `TypeError`.
   */
  readonly kinds?: readonly EventKind[];
  /**
   * Tools that the client carries out, beside the agent's. A call of one is stored, for whoever reads the events, and
   * answered at once. A conversation keeps those that it has: on opening only new ones need to be given, and a fork
   * has them too.
   */
  readonly clientTools?: readonly ClientToolSpec[];
  /** UTC milliseconds; fractions count in timestamps only. Default `Date.now`. */
  readonly now?: () => number;
  /** A signal that aborts when so many milliseconds have passed; default `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Ids of events; default random UUIDs. */
  readonly newId?: () => string;
}

/** What a new conversation needs. */
export interface CreateOptions extends ConversationOptions {
  /** The directory the agent works in; it must exist. */
  readonly workspace: string;
  /** 32 lower-case hex digits, as the reference names its directories; default random. */
  readonly id?: string;
}

/** What taking up a conversation needs. */
export interface OpenOptions extends ConversationOptions {
  readonly id: string;
  /** Default: the workspace the conversation was created with. */
  readonly workspace?: string;
  /**
   * What to do when it was worked on with tools that the agent does not have, or by an agent of another kind: refuse, which
   * is the default, or go on without them. More tools, another model or prompt are always accepted: what is given here counts, but for the system
   * prompt, which stays as it was stored. Confirmation, budget and rules for being stuck of which the agent was given none
   * are as they were stored.
   */
  readonly missingTools?: 'refuse' | 'accept';
}

/** What a user says: text, or blocks with images. */
export type UserInput = string | readonly Content[];
