import type { LlmError, LlmErrorCode } from '../../src/error.ts';
import type { ModelWrapper } from '../../src/language-model.ts';
import type { ModelReply } from '../../src/model-reply.ts';
import type { ModelRequest } from '../../src/model-request.ts';
import type { OpenAiChatOptions } from '../../src/chat/openai-chat.ts';
import type { ScriptedStep } from '../../src/testing/index.ts';

/** The protocols that faults are played in. */
export type ProtocolName = 'chat' | 'responses';

/** Whether a reply is streamed. */
export type Way = 'streamed' | 'whole';

/** What became of a row. */
export interface Seen {
  /** In the order they came: told by `retry`, and the one that ended the last call, if one did. */
  readonly failures: readonly LlmError[];
  readonly replies: readonly ModelReply[];
  /** Milliseconds between attempts. */
  readonly waits: readonly number[];
  /** Kinds of the deltas, a row of the same kind once. */
  readonly deltas: readonly string[];
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Of each request: whether the client left before the answer was complete. */
  readonly abandoned: readonly boolean[];
}

/** A failure as a row expects it. */
export type Expected = readonly [code: LlmErrorCode, message?: RegExp];

/** What every scenario has. */
interface Scenario {
  /** Its number in the list of faults; several rows may share one. */
  readonly fault: number;
  /** What the server does, and what comes of it. */
  readonly title: string;
  /** Both when absent. */
  readonly over?: readonly ProtocolName[];
  /** Both when absent. */
  readonly ways?: readonly Way[];
}

/**
 * A scenario as data: a server that answers with these steps, all of which must be asked for and no more, behind a model that
 * is asked through `retry`.
 */
export interface FaultRow extends Scenario {
  readonly steps: readonly ScriptedStep[] | ((protocol: ProtocolName, way: Way) => readonly ScriptedStep[]);
  /** None when absent. */
  readonly failures?: readonly Expected[];
  /** What the last reply holds, each field only where given; absent when the last failure is the outcome. */
  readonly reply?: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly finish?: ModelReply['finish'];
    /** Names and arguments. */
    readonly calls?: readonly (readonly [string, string])[];
    readonly usage?: readonly [input: number, output: number] | 'untold';
  };
  readonly waits?: readonly number[];
  /** How often the same model is asked the same; once when absent. */
  readonly asks?: number;
  /** Made from what names this model at this server, where it matters. */
  readonly request?: ModelRequest | ((origin: string) => ModelRequest);
  readonly options?: Partial<OpenAiChatOptions>;
  /** Between the adapter and `retry`. */
  readonly wrap?: ModelWrapper;
  /** Throws when something else is not as it should be. */
  readonly also?: (seen: Seen) => void;
}

/** Where a scenario is played. */
export interface Stage {
  readonly protocol: ProtocolName;
  readonly way: Way;
}

/** Time that passes only when it is told to. */
export interface Clock {
  advance(ms: number): Promise<void>;
}

/** A scenario that needs more than steps; rejects when it does not end as the title says. */
export interface FaultPlay extends Scenario {
  readonly play: (stage: Stage) => Promise<void>;
}

/** A scenario of minutes, played with a clock in place of the timers of the process. */
export interface TimedFault extends Scenario {
  readonly playTimed: (stage: Stage, clock: Clock) => Promise<void>;
}
