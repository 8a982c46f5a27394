import { text } from '@varve/events';
import { describe, expect, test } from 'vitest';
import { LlmError } from '../../error.ts';
import type { Delta } from '../../delta.ts';
import type { LanguageModel } from '../../language-model.ts';
import { languageModelContract } from './language-model-contract.ts';
import { scriptedModel } from '../script/scripted-model.ts';

type Generate = LanguageModel['generate'];

/** Models that each violate one requirement. */
const broken: Readonly<Record<string, (generate: Generate) => Generate>> = {
  'drops the calls': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const { tool_calls: _calls, ...message } = reply.message;
    return { ...reply, message };
  },
  'rewrites arguments': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({
      ...call,
      arguments: call.arguments.replaceAll('  ', ' '),
    }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'drops usage': (generate) => async (request, options) => {
    const { usage: _usage, ...reply } = await generate(request, options);
    return reply;
  },
  'drops the cost': (generate) => async (request, options) => {
    const { costUsd: _cost, ...reply } = await generate(request, options);
    return reply;
  },
  'drops reasoning': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const { reasoning_content: _reasoning, ...message } = reply.message;
    return { ...reply, message };
  },
  'changes call ids': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({ ...call, id: `x_${call.id}` }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'repeats a call id': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({ ...call, id: 'same' }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'reverses calls': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    const calls = reply.message.tool_calls?.toReversed();
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'loses the finish reason': (generate) => async (request, options) => ({
    ...(await generate(request, options)),
    finish: 'stop',
  }),
  'emits every delta twice': (generate) => async (request, options) => {
    const { onDelta } = options ?? {};
    const twice = (delta: Delta): void => [1, 2].forEach(() => onDelta?.(delta));
    return generate(request, { ...options, ...(onDelta && { onDelta: twice }) });
  },
  'swallows an abort': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      if (error instanceof LlmError && error.code === 'aborted') return generate(request);
      throw error;
    }),
  'reports an abort as unavailable': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      const isAbort = error instanceof LlmError && error.code === 'aborted';
      throw isAbort ? new LlmError('unavailable', error.message, { cause: error.cause }) : error;
    }),
  'loses the reason of an abort': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      const isAbort = error instanceof LlmError && error.code === 'aborted';
      throw isAbort ? new LlmError('aborted', error.message) : error;
    }),
  'throws other errors': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      throw new Error('Something failed.', { cause: error });
    }),
  'repeats the reply id': (generate) => async (request, options) => ({
    ...(await generate(request, options)),
    id: 'same',
  }),
  'invents usage': (generate) => async (request, options) => ({
    usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
    ...(await generate(request, options)),
  }),
  'streams nothing': (generate) => async (request, options) =>
    generate(request, options?.signal ? { signal: options.signal } : {}),
  'ignores the signal': (generate) => async (request, options) =>
    generate(request, options?.onDelta && { onDelta: options.onDelta }),
  'emits deltas after an abort': (generate) => async (request, options) =>
    generate(request, options).finally(() => options?.onDelta?.({ kind: 'text', text: 'late' })),
  'changes the request': (generate) => async (request, options) => {
    Object.assign(request.messages[0] ?? {}, { name: 'changed' });
    return generate(request, options);
  },
  'emits deltas after the end': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    queueMicrotask(() => queueMicrotask(() => options?.onDelta?.({ kind: 'text', text: 'late' })));
    return reply;
  },
  'keeps a listener on the signal': (generate) => async (request, options) => {
    options?.signal?.addEventListener('abort', () => undefined);
    return generate(request, options);
  },
  'reverses the history': (generate) => async (request, options) =>
    generate({ ...request, messages: request.messages.toReversed() }, options),
  'adds a blank block': (generate) => async (request, options) => {
    const reply = await generate(request, options);
    return { ...reply, message: { ...reply.message, content: [...reply.message.content, text('')] } };
  },
  'loses the requested wait': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      throw error instanceof LlmError ? new LlmError(error.code, error.message) : error;
    }),
  'reports every failure as unavailable': (generate) => async (request, options) =>
    generate(request, options).catch((error: unknown) => {
      throw new LlmError('unavailable', 'Something failed.', { cause: error });
    }),
};

describe('a model that', () => {
  test.for(Object.entries(broken))('%s fails the contract', async ([, breakIt]) => {
    const checks = languageModelContract.map((check) =>
      check.run(async (steps) => {
        const right = scriptedModel(steps);
        const model = { ...right, generate: breakIt((request, options) => right.generate(request, options)) };
        return { model, [Symbol.asyncDispose]: async () => undefined };
      }),
    );
    // One failed check is enough; some fail only after their timeout.
    await expect(Promise.all(checks)).rejects.toBeInstanceOf(Error);
  });
});
