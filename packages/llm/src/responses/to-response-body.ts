import { textOf } from '@varve/events';
import type { ModelParameters, ModelRequest, ToolSpec } from '../model-request.ts';
import { wireName } from '../dialects/tool-names.ts';
import { toolSchema } from '../dialects/tool-schema.ts';
import { withWellFormedText } from '../protocol/well-formed.ts';
import { wireToolChoice } from '../chat/wire-parameters.ts';
import { cachedWire } from '../protocol/written-once.ts';
import type { ResponseItem } from './response-item.ts';
import { toItems, type ItemSettings } from './to-items.ts';

/** What a body depends on beside the request. */
export interface ResponseSettings extends ItemSettings {
  /** How much of its reasoning the model tells people; nothing when absent. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

/** The body of a request, as far as this package writes one. */
export interface ResponseBody {
  readonly model: string;
  readonly input: readonly ResponseItem[];
  readonly [field: string]: unknown;
}

/**
 * The body by which the Responses protocol is asked: the same bytes for the same request, so that prompt caches hit. The
 * server keeps nothing unless told to, so reasoning is asked for, and goes back, in sealed form.
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

/** `strict` is said, because its default changes what schemas are taken. */
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

/** The protocol has no place for a seed. */
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
