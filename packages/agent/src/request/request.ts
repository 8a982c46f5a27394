import { freezeJson, type EventCodec } from '@varve/events';
import type { Call } from '@varve/events/facts';
import { messageBuilder, messagesVersion, viewProjection, type View } from '@varve/events/projections';
import type { ModelParameters, ModelRequest, ToolSpec } from '@varve/llm';
import type { Mask } from '@varve/text';
import { messageDigester } from '../log/digest.ts';
import { maskedDigests } from './request-facts.ts';

/** A request, and what the log records of it. */
export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly digests: Call['digests'];
  readonly projections: Call['projections'];
}

/** Options of {@link requestBuilder}: the parts that all requests of a conversation share. */
export interface RequestOptions {
  readonly codec: EventCodec;
  readonly tools: readonly ToolSpec[];
  readonly parameters: ModelParameters;
  readonly cacheKey: string;
  /** Replaces secrets in what the log contains of a request. */
  readonly mask: Mask;
}

/** Makes the request for a view. */
export type RequestBuilder = (view: View) => PreparedRequest;

/** Returns a builder of one conversation's requests: pure in the view, and unchanged messages are reused. */
export function requestBuilder({ codec, tools, parameters, cacheKey, mask }: RequestOptions): RequestBuilder {
  const messagesOf = messageBuilder(codec);
  const digestMessages = messageDigester();
  // Copies, because every request shares them and the digests are computed once.
  const shared = freezeJson(structuredClone({ tools, parameters }));
  const fixed = maskedDigests(shared, mask);
  const projections = { view: viewProjection(codec).version, messages: messagesVersion };
  return (view) => {
    const messages = messagesOf(view.events);
    return {
      // Frozen, because a retry sends it again, and its facts are stored after the reply.
      request: Object.freeze({ messages: Object.freeze(messages.slice()), ...shared, cacheKey }),
      digests: { messages: digestMessages(messages), ...fixed },
      projections,
    };
  };
}
