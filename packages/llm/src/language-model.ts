import type { Json } from '@varve/events';
import type { Capabilities } from './capabilities.ts';
import type { Delta } from './delta.ts';
import type { ModelReply } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';

/** How one call is watched and stopped. */
export interface GenerateOptions {
  /**
   * Aborting, also before the call, rejects with `aborted`, whose `cause` is the signal's reason; no delta comes after that.
   * No listener is left behind.
   */
  readonly signal?: AbortSignal;
  /**
   * Called for each piece of the reply as it comes, never after the call has settled; giving one asks for streaming.
   * Pieces since the last `reset` add up to the reply, yet only the resolved reply counts. Must not throw.
   */
  readonly onDelta?: (delta: Delta) => void;
}

/**
 * A language model that can be asked. Stateless: the same request may be sent any number of times and concurrently.
 *
 * How tool calls travel (in the protocol's own fields, or written into the text) is the model's affair: a request has
 * tools, a reply has calls.
 */
export interface LanguageModel {
  /** What rebuilds this model: a `kind`, then model name, address, options. Holds no secret. */
  readonly spec: Json;
  /** The model's name as events and people see it; never empty. */
  readonly name: string;
  /** The same for the life of this value. */
  readonly capabilities: Capabilities;
  /**
   * Sends a request and resolves with the whole reply. Messages are legal (`checkMessages` finds nothing) and are not
   * changed. Parameters that its protocol has no place for are left out; images that it cannot see become a note.
   *
   * @throws {LlmError} with a code for every failure the caller can act on, always by rejecting. A reply without text and
   * calls is `truncated` after `length`, `refused` after `content-filter`, and `empty` unless it has reasoning; tools
   * given to a model that takes none are `unsupported`. Calls whose arguments are not JSON are no failure: the text is
   * handed on.
   */
  generate(request: ModelRequest, options?: GenerateOptions): Promise<ModelReply>;
}

/**
 * Adds something to a model without changing what it is: retry, recording, routing, metering, prompted calling. Calls
 * `generate` on the model it was given, which may be an object of a class, and hands on every option, `reset` and error
 * that it has no reason to change. Its `spec` holds the model's in `model` when rebuilding needs the wrapper, otherwise it
 * is the model's own.
 */
export type ModelWrapper = (model: LanguageModel) => LanguageModel;
