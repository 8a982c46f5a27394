import type { Message } from '@varve/events';

/** A tool as a model sees it. `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Settings of one request; the provider chooses the value of an absent one. */
export interface ModelParameters {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  readonly seed?: number;
  /** Strings that end the reply and are not part of it. Providers accept at most four. */
  readonly stop?: readonly string[];
  /** `auto` when absent. */
  readonly toolChoice?: 'auto' | 'none' | 'required';
}

/** Input of one model call, independent of the adapter. Digests are computed from it. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  /** In the order they are offered; empty means none. Names are unique. */
  readonly tools: readonly ToolSpec[];
  readonly parameters: ModelParameters;
  /** Groups requests with a common prefix for the provider's cache: the conversation id. Not part of digests. */
  readonly cacheKey?: string;
}
