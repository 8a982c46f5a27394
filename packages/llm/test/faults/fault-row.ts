import type { LlmError, LlmErrorCode } from '../../src/error.ts';
import type { ModelWrapper } from '../../src/language-model.ts';
import type { ModelReply } from '../../src/model-reply.ts';
import type { ModelRequest } from '../../src/model-request.ts';
import type { OpenAiChatOptions } from '../../src/chat/openai-chat.ts';
import type { ScriptedStep } from '../../src/testing/index.ts';

/** Protocols in which faults are tested. */
export type ProtocolName = 'chat' | 'responses';

/** Delivery of a reply. */
export type DeliveryMode = 'streamed' | 'whole';

/** Outcome of a row. */
export interface Outcome {
  /** Failures in order: those reported by `retry`, and the one that ended the last call, if any. */
  readonly failures: readonly LlmError[];
  readonly replies: readonly ModelReply[];
  /** Milliseconds between attempts. */
  readonly waits: readonly number[];
  /** Kinds of the deltas; consecutive deltas of one kind count once. */
  readonly deltas: readonly string[];
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** For each request: true when the client disconnected before the response was complete. */
  readonly abandoned: readonly boolean[];
}

/** An expected failure. */
export type Expected = readonly [code: LlmErrorCode, message?: RegExp];

/** Fields of every scenario. */
interface Scenario {
  /** Number of the fault; several rows may share one. */
  readonly fault: number;
  /** Behaviour of the server and its consequence. */
  readonly title: string;
  /** Both by default. */
  readonly protocols?: readonly ProtocolName[];
  /** Both by default. */
  readonly modes?: readonly DeliveryMode[];
}

/**
 * A scenario as data: calls of a model with `retry`, whose server answers with these steps. Exactly these steps must be
 * requested.
 */
export interface FaultRow extends Scenario {
  readonly steps: readonly ScriptedStep[] | ((protocol: ProtocolName, way: DeliveryMode) => readonly ScriptedStep[]);
  /** None by default. */
  readonly failures?: readonly Expected[];
  /** Expected fields of the last reply; absent when the last call fails. */
  readonly reply?: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly finish?: ModelReply['finish'];
    /** Names and arguments. */
    readonly calls?: readonly (readonly [string, string])[];
    readonly usage?: readonly [input: number, output: number] | 'absent';
  };
  readonly waits?: readonly number[];
  /** Number of calls with the same model and request; 1 by default. */
  readonly repeats?: number;
  /** The request, or a function of the origin of this model at this server. */
  readonly request?: ModelRequest | ((origin: string) => ModelRequest);
  readonly options?: Partial<OpenAiChatOptions>;
  /** Wrapper between the adapter and `retry`. */
  readonly wrap?: ModelWrapper;
  /** Further assertions. */
  readonly also?: (seen: Outcome) => void;
}

/** Variant in which a scenario is tested. */
export interface Variant {
  readonly protocol: ProtocolName;
  readonly mode: DeliveryMode;
}

/** A clock that advances only on request. */
export interface Clock {
  advance(ms: number): Promise<void>;
}

/** A scenario that needs more than steps. */
export interface FaultScenario extends Scenario {
  readonly run: (variant: Variant) => Promise<void>;
}

/** A scenario of several minutes, run with a fake clock. */
export interface TimedScenario extends Scenario {
  readonly runTimed: (variant: Variant, clock: Clock) => Promise<void>;
}
