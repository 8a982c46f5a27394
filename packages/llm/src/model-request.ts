import type { Message } from '@varve/events';

/** A tool as a model sees it. `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Settings of one request; what is absent is left to the provider. */
export interface ModelParameters {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  readonly seed?: number;
  /** The reply ends before the first of these that it would hold. Providers take four at most. */
  readonly stop?: readonly string[];
  /** `auto` when absent. */
  readonly toolChoice?: 'auto' | 'none' | 'required';
}

/** Everything one call of a model depends on, above every adapter. Digests are taken of this. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  /** In the order they are offered; empty means none. Names are unique. */
  readonly tools: readonly ToolSpec[];
  readonly parameters: ModelParameters;
  /** Groups requests that share a prefix for the provider's cache: the conversation's id. Not part of digests. */
  readonly cacheKey?: string;
}
