import type { Delta } from '../delta.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { PartialReply } from '../error.ts';
import type { Endpoint, ServerOptions } from '../http/requester.ts';
import type { ModelParameters, ModelRequest } from '../model-request.ts';
import type { AssembledModelReply, ReplySettings } from './build-reply.ts';
import type { PromptCut } from './prompt-cut.ts';
import type { UsageAndCost } from './usage.ts';
import type { WireSettings } from './wire-settings.ts';

/** Options of every OpenAI protocol. */
export interface ProtocolOptions extends ServerOptions {
  /** Defaults for parameters that a request leaves out. */
  readonly parameters?: ModelParameters;
  /** Stream always or never; when absent, for callers that pass `onDelta`. */
  readonly stream?: boolean;
  /** True when the model accepts images; otherwise, which is the default, a note takes their place. */
  readonly vision?: boolean;
  /** True when the model accepts tools; when false, requests with tools are `unsupported` without being sent. */
  readonly functionCalling?: boolean;
  /** Tokens of prompt and reply together, when known. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Overrides the fields that `dialectFor` gets wrong. */
  readonly dialect?: Partial<Dialect>;
  /** Called once for each dialect change after a rejection; the request was then sent again. Must not throw. */
  readonly onDialectChange?: (change: Partial<Dialect>) => void;
  /** Called once per model, when its server seems to have read only part of a prompt. Must not throw. */
  readonly onPromptCut?: (cut: PromptCut) => void;
}

/** One protocol: writes requests and reads replies. */
export interface Protocol<Body extends object> extends Endpoint {
  readonly kind: string;
  toBody(request: ModelRequest, settings: WireSettings): Body;
  /** Starts the assembly of one response. */
  assembly(dialect: Dialect): ProtocolAssembly;
}

/** Assembles one response from its chunks; a response that is not streamed is one chunk. */
export interface ReplyAssembly {
  /** The provider's finish reason; not empty once the reply is complete. Usage may still follow. */
  readonly finish: string;
  /** True when nothing can follow, in protocols without an end marker. */
  readonly isDone?: boolean;
  /** The error object of a reply that ended as a failure. */
  readonly failure?: unknown;
  /** Size of the reply so far, as far as it is kept. */
  readonly size: ReplySize;
  /** Adds a chunk of a stream, or a whole response, and returns its deltas. A chunk of another shape adds nothing. */
  push(chunk: unknown): readonly Delta[];
  /** Ends the reply and returns the last deltas. */
  end(): readonly Delta[];
}

/** Size of a reply. */
export interface ReplySize {
  readonly characters: number;
  readonly calls: number;
}

/** Reply of an assembled response, and its content so far. */
export interface ProtocolAssembly extends ReplyAssembly {
  /** @throws {LlmError} when the response contains no usable reply. */
  reply(settings: ReplySettings): AssembledModelReply;
  partial(): PartialOutcome;
}

/** Content, usage and cost of a response so far. */
export interface PartialOutcome extends PartialReply, UsageAndCost {}
