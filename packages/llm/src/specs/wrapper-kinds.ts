import { definePartKind } from '@varve/events/specs';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { llmErrorCodes } from '../error.ts';
import { functionCalling } from '../function-calling/function-calling.ts';
import { mockFunctionCalling } from '../function-calling/mock-function-calling.ts';
import type { LanguageModel } from '../language-model.ts';
import { retry } from '../retry.ts';
import { textCallFormats } from '../text-calls/formats/readers.ts';
import { limitCalls } from '../wrappers/limit-calls.ts';
import { routeCalls } from '../wrappers/route-calls.ts';
import type { ModelContext, ModelKind, ModelKindsOptions } from './model-kind.ts';

const limit = lazy(() => z.exactOptional(z.int().positive()));
const model = lazy(() => z.json());
const callsPerReply = lazy(() => z.enum(['one', 'many']));

/** Returns the kinds of wrappers. Wrappers whose spec is that of the wrapped model are not among them. */
export function wrapperKinds(application: ModelKindsOptions): readonly ModelKind[] {
  return [
    retryKind(application),
    definePartKind({
      kind: 'function-calling',
      options: () =>
        z.object({
          mode: z.enum(['auto', 'native']),
          callsPerReply: z.exactOptional(callsPerReply()),
          example: z.exactOptional(z.boolean()),
          textCallFormats: z.exactOptional(z.array(z.enum(textCallFormats))),
          model: model(),
        }),
      create: ({ model: inner, ...options }, context: ModelContext): LanguageModel =>
        functionCalling({ ...application.functionCalling, ...options })(context.model(inner, 'model')),
    }),
    definePartKind({
      kind: 'mock-function-calling',
      options: () => z.object({ callsPerReply: callsPerReply(), example: z.boolean(), model: model() }),
      create: ({ model: inner, ...options }, context: ModelContext): LanguageModel =>
        mockFunctionCalling({ ...application.functionCalling, ...options })(context.model(inner, 'model')),
    }),
    definePartKind({
      kind: 'limited',
      options: () => z.object({ concurrency: limit(), requests: limit(), windowMs: limit(), model: model() }),
      create: ({ model: inner, ...options }, context: ModelContext): LanguageModel =>
        limitCalls(options)(context.model(inner, 'model')),
    }),
    routedKind(application),
  ];
}

function retryKind(application: ModelKindsOptions): ModelKind {
  return definePartKind({
    kind: 'retry',
    options: () =>
      z.object({
        attempts: z.int().positive(),
        maxTotalMs: z.number().positive(),
        maxDelayMs: z.number().positive(),
        model: model(),
      }),
    create: ({ model: inner, ...options }, context: ModelContext): LanguageModel =>
      retry({ ...application.retry, ...options })(context.model(inner, 'model')),
  });
}

function routedKind({ onFallback }: ModelKindsOptions): ModelKind {
  return definePartKind({
    kind: 'routed',
    options: () =>
      z.object({ models: z.tuple([model()], model()), fallbackOn: z.exactOptional(z.array(z.enum(llmErrorCodes))) }),
    create({ models: [first, ...rest], ...options }, context: ModelContext): LanguageModel {
      const others = rest.map((spec, index) => context.model(spec, 'models', index + 1));
      return routeCalls([context.model(first, 'models', 0), ...others], {
        ...options,
        ...(onFallback && { onFallback }),
      });
    },
  });
}
