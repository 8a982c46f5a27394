import type { Json } from '@varve/events';
import type { PartKind, SpecPath } from '@varve/events/specs';
import type { FunctionCallingOptions } from '../function-calling/function-calling.ts';
import type { LanguageModel, ModelWrapper } from '../language-model.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import type { ModelFromOptions } from '../providers/model-from.ts';
import type { RetryOptions } from '../retry.ts';
import type { RouteOptions } from '../wrappers/route-calls.ts';

/** Context in which a model is rebuilt. */
export interface ModelContext {
  /** Rebuilds the wrapped model, at the position below that of the wrapper. @throws {SpecError} */
  readonly model: (spec: Json, ...position: SpecPath) => LanguageModel;
}

/** Kind of model that can be rebuilt from its spec. */
export type ModelKind = PartKind<LanguageModel, ModelContext>;

/** Server in a stored spec. The spec may come from another person: check the address before returning a credential. */
export interface StoredServer {
  readonly baseUrl: string;
  /** Name of the model there. */
  readonly model: string;
  /** Names of the headers that the model was created with. */
  readonly headers: readonly string[];
}

/** Credentials for one server. */
export interface ServerCredentials {
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of `modelKinds`: what specs do not contain. */
export interface ModelKindsOptions extends Pick<ProtocolOptions, 'fetch' | 'onPromptCut' | 'onDialectChange'> {
  /** Keys by variable name, usually the environment. The key of a provider is sent to its own address only. */
  readonly keys?: ModelFromOptions['keys'];
  readonly native?: ModelFromOptions['native'];
  /** Returns the credentials for a server; undefined to use `keys`. */
  readonly credentials?: (server: StoredServer) => ServerCredentials | undefined;
  /** Wraps each model that calls a server, for example to measure or record its calls. Must not change its spec. */
  readonly wrap?: ModelWrapper;
  readonly retry?: Pick<RetryOptions, 'onRetry' | 'sleep' | 'random' | 'now'>;
  readonly functionCalling?: Pick<FunctionCallingOptions, 'onNotice' | 'onSwitch' | 'onTextCalls'>;
  readonly onFallback?: NonNullable<RouteOptions['onFallback']>;
}
