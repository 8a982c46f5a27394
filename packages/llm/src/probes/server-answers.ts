import { withoutUndefined } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { Capabilities } from '../capabilities.ts';

/** Capabilities of a model reported by its server, for the adapter options of the same names. */
export type ProbedCapabilities = Partial<Omit<Capabilities, 'streaming'>>;

const tokens = lazy(() => z.number().int().positive().optional().catch(undefined));
const words = lazy(() => z.array(z.string()).optional().catch(undefined));

/** An entry of `/models`, as vLLM and routers fill it. */
export function listedModel(model: string) {
  const entry = z.looseObject({
    id: z.string(),
    max_model_len: tokens(),
    context_length: tokens(),
    supported_parameters: words(),
    architecture: z.looseObject({ input_modalities: words() }).optional().catch(undefined),
    top_provider: z
      .looseObject({ context_length: tokens(), max_completion_tokens: tokens() })
      .optional()
      .catch(undefined),
  });
  return z.looseObject({ data: z.array(entry) }).transform(({ data }) => {
    const listed = data.find(({ id }) => id === model);
    if (!listed) return {};
    return withoutUndefined({
      contextWindow: listed.max_model_len ?? listed.top_provider?.context_length ?? listed.context_length,
      maxOutputTokens: listed.top_provider?.max_completion_tokens,
      functionCalling: listed.supported_parameters?.includes('tools'),
      vision: listed.architecture?.input_modalities?.includes('image'),
    });
  });
}

/** An entry of LM Studio's own list. */
export function lmStudioModel(model: string) {
  const entry = z.looseObject({
    id: z.string(),
    type: z.string().optional(),
    loaded_context_length: tokens(),
    capabilities: words(),
  });
  return z.looseObject({ data: z.array(entry) }).transform(({ data }) => {
    const listed = data.find(({ id }) => id === model);
    if (!listed) return {};
    return withoutUndefined({
      contextWindow: listed.loaded_context_length,
      functionCalling: listed.capabilities?.includes('tool_use'),
      vision: listed.type === undefined ? undefined : listed.type === 'vlm',
    });
  });
}

/** Reply of Ollama. The model's maximum length is ignored: the server uses less unless it is configured otherwise. */
export const ollamaModel = lazy(() =>
  z
    .looseObject({ capabilities: words(), parameters: z.string().optional().catch(undefined) })
    .transform(({ capabilities, parameters = '' }) => {
      const length = /^num_ctx\s+(\d+)/m.exec(parameters)?.[1];
      return withoutUndefined({
        contextWindow: tokens().parse(length === undefined ? undefined : Number(length)),
        functionCalling: capabilities?.includes('tools'),
        vision: capabilities?.includes('vision'),
      });
    }),
);

/** The properties of llama.cpp's server, which serves one model. */
export const llamaProps = lazy(() =>
  z
    .looseObject({
      default_generation_settings: z.looseObject({ n_ctx: tokens() }).optional().catch(undefined),
      modalities: z.looseObject({ vision: z.boolean().optional() }).optional().catch(undefined),
      chat_template_caps: z.looseObject({ supports_tools: z.boolean().optional() }).optional().catch(undefined),
    })
    .transform(({ default_generation_settings: settings, modalities, chat_template_caps: caps }) =>
      withoutUndefined({
        contextWindow: settings?.n_ctx,
        functionCalling: caps?.supports_tools,
        vision: modalities?.vision,
      }),
    ),
);
