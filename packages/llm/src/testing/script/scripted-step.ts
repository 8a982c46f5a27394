import type { TokenUsage } from '@varve/events';
import type { LlmErrorCode } from '../../error.ts';
import type { FinishReason } from '../../model-reply.ts';
import type { ModelRequest } from '../../model-request.ts';

/** A call of a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  /** An object that is sent as JSON, or the exact text of the arguments, valid or not. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Derived from the request by default: unique, and the same when the script runs again. */
  readonly id?: string;
}

/** A failure instead of a reply, as callers of a model receive it. */
export interface ScriptedError {
  readonly code: Exclude<LlmErrorCode, 'aborted' | 'script-mismatch'>;
  readonly message?: string;
  readonly retryAfterMs?: number;
}

/** A fault of the connection. Positions count pieces of the reply (server-sent events); 0 is before the first byte. */
export type Fault =
  /** Sends this response instead of the reply; an object as JSON, an iterable piece by piece. Only for servers. */
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Readonly<Record<string, unknown>> | AsyncIterable<string | Uint8Array>;
    }
  /** Breaks the connection. */
  | { readonly kind: 'reset'; readonly afterPieces: number }
  /** Ends the body regularly, but too early. */
  | { readonly kind: 'cut'; readonly afterPieces: number }
  /** Sends nothing more until the caller aborts. */
  | { readonly kind: 'hang'; readonly afterPieces: number };

/** One reply of a script, or a failure or fault instead. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** By default `tool-calls` with calls, else `stop`. */
  readonly finish?: FinishReason;
  /** No usage is reported by default. */
  readonly usage?: Partial<TokenUsage>;
  readonly costUsd?: number;
  /** Derived from the request by default. */
  readonly id?: string;
  readonly error?: ScriptedError;
  readonly fault?: Fault;
  /** The reply is sent after this promise settles: controls the order without sleeping. */
  readonly gate?: Promise<unknown>;
  /** Text or pattern that the last message of the request must contain; otherwise the call is a `script-mismatch`. */
  readonly expect?: string | RegExp;
}

/** A turn, or a function that creates it from the request: for scripts that react to the results of tools. */
export type ScriptedStep = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>);
