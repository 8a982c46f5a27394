import type { EventCodec } from '@varve/events';
import type { Call } from '@varve/events/facts';
import { messageBuilder, messagesVersion, viewProjection, type View } from '@varve/events/projections';
import type { ModelParameters, ModelRequest, ToolSpec } from '@varve/llm';
import type { Mask } from '@varve/text';
import { messageDigester } from '../log/digest.ts';
import { loggedDigests } from './logged-digests.ts';

/** A request, and the digests under which the log remembers it. */
export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly digests: Call['digests'];
  readonly projections: Call['projections'];
}

/** What all requests of a conversation share. */
export interface RequestOptions {
  readonly codec: EventCodec;
  readonly tools: readonly ToolSpec[];
  readonly parameters: ModelParameters;
  readonly cacheKey: string;
  /** Hides secrets in what the log holds of a request. */
  readonly mask: Mask;
}

/** Makes the requests of one conversation: pure in the view, and what did not change since the last one costs nothing. */
export function requestBuilder({
  codec,
  tools,
  parameters,
  cacheKey,
  mask,
}: RequestOptions): (view: View) => PreparedRequest {
  const messagesOf = messageBuilder(codec);
  const digestMessages = messageDigester();
  const fixed = loggedDigests({ tools, parameters }, mask);
  const projections = { view: viewProjection(codec).version, messages: messagesVersion };
  return (view) => {
    const messages = messagesOf(view.events);
    return {
      request: { messages, tools, parameters, cacheKey },
      digests: { messages: digestMessages(messages), ...fixed },
      projections,
    };
  };
}
