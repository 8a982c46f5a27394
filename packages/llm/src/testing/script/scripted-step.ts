import type { TokenUsage } from '@varve/events';
import type { LlmErrorCode } from '../../error.ts';
import type { FinishReason } from '../../model-reply.ts';
import type { ModelRequest } from '../../model-request.ts';

/** A call that a scripted reply makes. */
export interface ScriptedCall {
  readonly name: string;
  /** A value to be written as JSON, or the exact text of the arguments, valid or not. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Made up from the request when absent: unique, and the same whenever the script runs again. */
  readonly id?: string;
}

/** A failure instead of a reply, as callers of a model see it. */
export interface ScriptedError {
  readonly code: Exclude<LlmErrorCode, 'aborted' | 'script-mismatch'>;
  readonly message?: string;
  readonly retryAfterMs?: number;
}

/** How a connection misbehaves. Positions count pieces of the reply (server-sent events); 0 is before the first byte. */
export type Fault =
  /** Sends this instead of the reply; an object is sent as JSON, and pieces are sent one by one. Only a server can. */
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Readonly<Record<string, unknown>> | AsyncIterable<string | Uint8Array>;
    }
  /** Breaks the connection. */
  | { readonly kind: 'reset'; readonly afterPieces: number }
  /** Ends the body properly, but too early. */
  | { readonly kind: 'cut'; readonly afterPieces: number }
  /** Says nothing more until the caller gives up. */
  | { readonly kind: 'hang'; readonly afterPieces: number };

/** One reply of a script, or what happens instead. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** `tool-calls` with calls, else `stop`, when absent. */
  readonly finish?: FinishReason;
  /** Nothing is told when absent. */
  readonly usage?: Partial<TokenUsage>;
  readonly costUsd?: number;
  /** Made up from the request when absent. */
  readonly id?: string;
  readonly error?: ScriptedError;
  readonly fault?: Fault;
  /** Nothing is sent before this settles: order without sleeping. */
  readonly gate?: Promise<unknown>;
  /** What the text of the request's last message must hold; anything else is a `script-mismatch`. */
  readonly expect?: string | RegExp;
}

/** A turn, or what makes one from the request: for scripts that react to the results of tools. */
export type ScriptedStep = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>);
