import { textOf } from '@varve/events';
import type { ModelParameters, ModelRequest, ToolSpec } from '../model-request.ts';
import { wireName } from '../dialects/tool-names.ts';
import { toolSchema } from '../dialects/tool-schema.ts';
import { wireToolChoice } from '../protocol/wire-settings.ts';
import { cachedWire, withWellFormedText } from '../protocol/wire-form.ts';
import type { ResponseItem } from './response-item.ts';
import { toItems, type ItemSettings } from './to-items.ts';

/** Settings of a request body. */
export interface ResponseSettings extends ItemSettings {
  /** Detail of the reasoning summary for people; none when absent. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

/** Body of a request, with the fields that this package writes. */
export interface ResponseBody {
  readonly model: string;
  readonly input: readonly ResponseItem[];
  readonly [field: string]: unknown;
}

/**
 * Returns the body of a Responses request: the same bytes for the same request, so that prompt caches hit. Unless
 * `store` is true, the server stores nothing, so reasoning is requested and sent back encrypted.
 */
export function toResponseBody(request: ModelRequest, settings: ResponseSettings): ResponseBody {
  const { model, dialect, stream, store } = settings;
  const parameters = { ...settings.parameters, ...request.parameters };
  const instructions = request.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const tools = request.tools.map((tool) => responseTool(tool, settings));
  return {
    model,
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n---\n\n').toWellFormed() }),
    ...(tools.length > 0 && { tools, ...wireToolChoice(parameters, dialect) }),
    ...responseParameters(parameters, settings),
    store,
    ...(!store && dialect.sealedBack && { include: ['reasoning.encrypted_content'] }),
    ...(dialect.cacheKey && request.cacheKey && { prompt_cache_key: request.cacheKey.slice(0, 64) }),
    ...(stream && { stream: true }),
    input: toItems(request.messages, settings),
  };
}

/** `strict` is set because its default restricts the schemas that are accepted. */
function responseTool(tool: ToolSpec, { dialect, cache }: ResponseSettings): object {
  return cachedWire(cache, tool, () => {
    const { name, description, parameters } = tool;
    const schema = toolSchema(parameters, dialect.schema);
    return withWellFormedText({
      type: 'function',
      name: wireName(name),
      description,
      parameters: schema,
      strict: false,
    } as const);
  });
}

/** The protocol has no seed. */
function responseParameters(parameters: ModelParameters, { dialect, reasoningSummary }: ResponseSettings): object {
  const { temperature, topP, maxOutputTokens, reasoningEffort } = parameters;
  const { without, outputLimit } = dialect;
  const effort = reasoningEffort !== undefined && !without.includes('effort') && { effort: reasoningEffort };
  const summary = reasoningSummary !== undefined && { summary: reasoningSummary };
  return {
    ...(temperature !== undefined && !without.includes('temperature') && { temperature }),
    ...(topP !== undefined && !without.includes('top_p') && { top_p: topP }),
    ...(maxOutputTokens !== undefined && outputLimit !== 'none' && { max_output_tokens: maxOutputTokens }),
    ...((effort || summary) && { reasoning: { ...effort, ...summary } }),
  };
}
