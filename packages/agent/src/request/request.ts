import { parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import type { ModelParameters, ModelRequest, ToolSpec } from '@varve/llm';
import type { Mask } from '@varve/text';
import { digestOfJson, messageDigester } from '../log/digest.ts';
import type { Draft } from '../log/drafts.ts';
import { maskParameters, maskTools } from '../log/mask-event.ts';
import { freezeJson, type EventCodec } from '@varve/events';
import { messageBuilder, messagesVersion, viewProjection, type View } from '@varve/events/projections';

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
      request: Object.freeze({ messages: Object.freeze(messages), ...shared, cacheKey }),
      digests: { messages: digestMessages(messages), ...fixed },
      projections,
    };
  };
}

/** Parts that all requests of an agent share. */
type SharedParts = Pick<ModelRequest, 'tools' | 'parameters'>;

/** Returns the digests of tools and parameters as the log contains them: masked, unlike the request. */
export function maskedDigests(
  { tools, parameters }: SharedParts,
  mask: Mask,
): Pick<Call['digests'], 'tools' | 'parameters'> {
  return {
    tools: digestOfJson(maskTools(tools, mask)),
    parameters: digestOfJson(maskParameters(jsonOf(parameters), mask)),
  };
}

/** Returns facts of a request's tools and parameters, as far as the log does not contain their digests yet. */
export function newRequestFacts(
  { tools, parameters }: SharedParts,
  digests: Call['digests'],
  known: readonly string[],
): readonly Draft[] {
  return [
    ...(known.includes(digests.tools) ? [] : [toolsetDraft(digests.tools, tools)]),
    // The digest of `{}` need not be stored.
    ...(known.includes(digests.parameters) || JSON.stringify(parameters) === '{}'
      ? []
      : [parametersDraft(digests.parameters, parameters)]),
  ];
}

/** Records the tool list of a request. */
export function toolsetDraft(digest: string, tools: readonly ToolSpec[]): Draft {
  const copies = tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } }));
  return { make: (stamp) => toolsetFact.create({ digest, tools: copies }, stamp) };
}

/** Records the parameters of a request. */
export function parametersDraft(digest: string, parameters: ModelParameters): Draft {
  const fields = jsonOf(parameters);
  return { make: (stamp) => parametersFact.create({ digest, parameters: fields }, stamp) };
}

/** Returns parameters as they are stored, without undefined fields. */
function jsonOf(parameters: ModelParameters): Record<string, unknown> {
  return JSON.parse(JSON.stringify(parameters)) as Record<string, unknown>;
}
