import type { EventKind } from '@varve/events';
import type { SpanSink } from '@varve/events/spans';
import type { EventStore } from '@varve/storage';
import type { ClientToolSpec } from '@varve/tools';
import type { Agent, AgentOptions } from '../agent/agent.ts';
import type { AgentRegistries } from '../specs/agent-registries.ts';
import type { MissingPart } from '../specs/part-reader.ts';

/** Options of creating and of opening a conversation. */
export interface ConversationOptions {
  readonly agent: Agent;
  /** Not owned: the caller closes it after its conversations. */
  readonly store: EventStore;
  /**
   * Values that must never reach the log, such as keys and passwords. Masked in every event before it is stored. A
   * function is called for each event, so that values can be added while the conversation is open.
   */
  readonly secrets?: readonly string[] | (() => readonly string[]);
  /**
   * Custom event kinds. A log that is opened without them keeps their events as opaque ones, which the model does not
   * see. Names differ from each other and from the built-in ones; anything else is a `TypeError`.
   */
  readonly kinds?: readonly EventKind[];
  /**
   * Tools that the client executes, in addition to the agent's. A call of one is stored, for the readers of the events,
   * and answered immediately. They belong to the conversation: opening it needs new ones only, and a fork has them too.
   */
  readonly clientTools?: readonly ClientToolSpec[];
  /**
   * Receives the spans of runs, steps, calls and waits, those of child conversations included; `tracedBy` of
   * `@varve/agent/tracing` returns one for a tracer. The first event of an opened conversation waits until its log is
   * read. Default: none.
   */
  readonly spans?: SpanSink | undefined;
  /** UTC milliseconds; fractions count in timestamps only. Default `Date.now`. */
  readonly now?: () => number;
  /** Returns a signal that aborts after this many milliseconds; default `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Ids of events; default random UUIDs. */
  readonly newId?: () => string;
}

/** Options of `Conversation.create`. */
export interface CreateOptions extends ConversationOptions {
  /** Working directory of the agent; it must exist. */
  readonly workspace: string;
  /**
   * A name such as `large-refactor`: 1 to 64 letters, digits, hyphens and underscores. A UUID is stored as 32
   * lower-case hex digits, as the reference names its directories, and found under both forms. Default a new UUID.
   */
  readonly id?: string;
  /** Owner in the store, by which conversations are listed; default none. */
  readonly owner?: string | undefined;
}

/** Options of `Conversation.open`. */
export interface OpenOptions extends Omit<ConversationOptions, 'agent'> {
  readonly id: string;
  /** Default: the agent that the conversation was last used with, rebuilt from its log by `registries`. */
  readonly agent?: Agent;
  /**
   * Kinds of parts, and the credentials of models, for what is rebuilt: the stored policy, and the agent if none is
   * given. Default: the kinds of the varve packages without credentials, which suffice for a server on this machine.
   */
  readonly registries?: AgentRegistries;
  /**
   * Parts of the rebuilt agent in place of the stored ones, such as the rules of the person and trusted hooks. Policy,
   * limits and stuck rules are the stored ones. Ignored with `agent`.
   */
  readonly parts?: Partial<AgentOptions>;
  /** Called with the parts of the stored agent that the rebuilt one lacks. Must not throw. */
  readonly onMissing?: (missing: readonly MissingPart[]) => void;
  /** Default: the workspace that the conversation was created with. */
  readonly workspace?: string;
  /**
   * Behaviour when the agent lacks tools that the conversation was used with, or is of another kind: `refuse`, the
   * default, or `accept`. More tools, another model and another prompt are always accepted and replace the stored ones,
   * except that the stored system prompt stays. Confirmation, budget and stuck rules that the agent does not set are
   * the stored ones.
   */
  readonly missingTools?: 'refuse' | 'accept';
}

/** Options of `Conversation.send`. */
export interface SendOptions {
  /**
   * Id of the message's event, a UUID; default a new one. A message whose id is in the log is not stored again, so that
   * a caller that does not know whether it was stored can repeat it.
   */
  readonly id?: string;
  /** True for a message of no person: calls that wait for one still wait. */
  readonly keepsCalls?: boolean;
}

/** Options of `Conversation.events`. */
export interface EventsOptions {
  /** Seq of the first event; default 0. */
  readonly from?: number;
  /** Yields later events too, until the loop ends. */
  readonly follow?: boolean;
  /** Yields later events too, until it aborts. */
  readonly signal?: AbortSignal;
}
