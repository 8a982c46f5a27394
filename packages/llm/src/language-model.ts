import type { Json } from '@varve/events';
import type { Capabilities } from './capabilities.ts';
import type { Delta } from './delta.ts';
import type { ModelReply } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';

/** Options of one call. */
export interface GenerateOptions {
  /**
   * Aborting, also before the call, rejects with `aborted`, whose `cause` is the signal's reason; no delta follows. The
   * model removes its listeners.
   */
  readonly signal?: AbortSignal;
  /**
   * Called for each piece of the reply as it arrives, never after the call has settled; requests streaming. Pieces
   * since the last `reset` add up to the reply, but only the resolved reply counts. Must not throw.
   */
  readonly onDelta?: (delta: Delta) => void;
}

/**
 * A language model. Stateless: the same request may be sent any number of times and concurrently.
 *
 * A request has tools and a reply has calls, whether the model sends them in the fields of its protocol or as text.
 */
export interface LanguageModel {
  /**
   * Description from which the model can be rebuilt: a `kind`, then model name, address, options. Contains no secret.
   */
  readonly spec: Json;
  /** Name of the model in events and displays; never empty. */
  readonly name: string;
  /** Constant during the lifetime of this object. */
  readonly capabilities: Capabilities;
  /**
   * Sends a request and resolves with the complete reply. Messages are valid (`checkMessages` returns no problem) and
   * are not changed. Parameters that the protocol does not have are omitted; images that the model cannot see become a
   * note.
   *
   * @throws {LlmError} with a code for every failure the caller can act on, always by rejecting. A reply without text
   * and calls is `truncated` after `length`, `refused` after `content-filter`, and `empty` unless it has reasoning;
   * tools sent to a model without function calling are `unsupported`. Calls whose arguments are not JSON are not a
   * failure: the text is returned unchanged.
   */
  generate(request: ModelRequest, options?: GenerateOptions): Promise<ModelReply>;
}

/**
 * Adds behaviour to a model: retry, recording, routing, metering, mock function calling. Calls `generate` on the
 * wrapped model, which may be an instance of a class, and forwards every option, `reset` and error that it does not
 * change. Its `spec` contains the spec of the wrapped model in `model` when rebuilding needs the wrapper; otherwise it
 * is the spec of the wrapped model.
 */
export type ModelWrapper = (model: LanguageModel) => LanguageModel;
