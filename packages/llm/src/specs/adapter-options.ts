import * as z from 'zod';
import { lazy } from '@varve/events';
import { optionalParameters, schemaLevels, type Dialect } from '../dialects/dialect.ts';
import type { ReplyLimits } from '../http/reply-limits.ts';
import type { ModelParameters } from '../model-request.ts';

const count = lazy(() => z.exactOptional(z.int().positive()));
const flag = lazy(() => z.exactOptional(z.boolean()));

/** Parameters of requests in a spec. */
export const modelParameters = lazy(
  () =>
    z.object({
      temperature: z.exactOptional(z.number()),
      topP: z.exactOptional(z.number()),
      maxOutputTokens: count(),
      reasoningEffort: z.exactOptional(z.enum(['none', 'minimal', 'low', 'medium', 'high'])),
      seed: z.exactOptional(z.number()),
      stop: z.exactOptional(z.array(z.string())),
      toolChoice: z.exactOptional(z.enum(['auto', 'none', 'required'])),
    }) satisfies z.ZodType<ModelParameters>,
);

const dialect = lazy(() =>
  z.strictObject({
    outputLimit: z.exactOptional(z.enum(['max_tokens', 'max_completion_tokens', 'none'])),
    system: z.exactOptional(z.enum(['anywhere', 'first'])),
    turns: z.exactOptional(z.enum(['free', 'alternating'])),
    afterResults: z.exactOptional(z.enum(['free', 'assistant'])),
    callIds: z.exactOptional(z.enum(['free', 'plain', 'nine'])),
    emptyContent: z.exactOptional(z.enum(['null', 'text'])),
    parts: z.exactOptional(z.boolean()),
    imageUrls: z.exactOptional(z.boolean()),
    cacheMarks: z.exactOptional(z.boolean()),
    cacheKey: z.exactOptional(z.boolean()),
    resultNames: z.exactOptional(z.boolean()),
    reasoningBack: z.exactOptional(z.enum(['never', 'with-calls', 'always'])),
    reasoningField: z.exactOptional(z.enum(['reasoning_content', 'reasoning'])),
    thinkTags: z.exactOptional(z.enum(['never', 'leading', 'opened'])),
    sealedBack: z.exactOptional(z.boolean()),
    effort: z.exactOptional(z.enum(['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking'])),
    streams: z.exactOptional(z.boolean()),
    cutsPrompts: z.exactOptional(z.boolean()),
    asksForCost: z.exactOptional(z.boolean()),
    schema: z.exactOptional(z.enum(schemaLevels)),
    without: z.exactOptional(z.array(z.enum(optionalParameters))),
  } satisfies Readonly<Record<keyof Dialect, z.ZodType>>),
);

const limits = lazy(() =>
  z.strictObject({
    bodyBytes: z.exactOptional(z.int().positive()),
    characters: z.exactOptional(z.int().positive()),
    events: z.exactOptional(z.int().positive()),
    values: z.exactOptional(z.int().positive()),
    depth: z.exactOptional(z.int().positive()),
    calls: z.exactOptional(z.int().positive()),
  } satisfies Readonly<Record<keyof ReplyLimits, z.ZodType>>),
);

/** Options of an adapter in a spec: all of `ProtocolOptions` that are JSON and no secret. */
export const adapterOptions = lazy(() =>
  z.object({
    model: z.string().min(1),
    baseUrl: z.string().min(1),
    /** Names of the headers that the model was created with. */
    headers: z.exactOptional(z.array(z.string())),
    /** Present if the model was created with a client of the application. */
    client: z.exactOptional(z.literal('application')),
    timeoutMs: z.exactOptional(z.number().positive()),
    idleTimeoutMs: z.exactOptional(z.number().positive()),
    limits: z.exactOptional(limits()),
    parameters: z.exactOptional(modelParameters()),
    stream: flag(),
    vision: flag(),
    functionCalling: flag(),
    contextWindow: z.exactOptional(z.number().positive()),
    maxOutputTokens: z.exactOptional(z.number().positive()),
    dialect: z.exactOptional(dialect()),
  }),
);

/** Options of the Responses adapter in a spec. */
export const responsesOptions = lazy(() =>
  adapterOptions().extend({
    store: flag(),
    reasoningSummary: z.exactOptional(z.enum(['auto', 'concise', 'detailed'])),
  }),
);
