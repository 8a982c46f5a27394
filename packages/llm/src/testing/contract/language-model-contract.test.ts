import { text } from '@varve/events';
import { describe, expect, test } from 'vitest';
import { LlmError } from '../../error.ts';
import type { Delta } from '../../delta.ts';
import type { LanguageModel } from '../../language-model.ts';
import { languageModelContract } from './language-model-contract.ts';
import { scriptedModel } from '../script/scripted-model.ts';

type Generate = LanguageModel['generate'];

/** Each breaks one promise. */
const broken: Readonly<Record<string, (right: Generate) => Generate>> = {
  'forgets the calls': (right) => async (request, options) => {
    const reply = await right(request, options);
    const { tool_calls: _calls, ...message } = reply.message;
    return { ...reply, message };
  },
  'rewrites arguments': (right) => async (request, options) => {
    const reply = await right(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({
      ...call,
      arguments: call.arguments.replaceAll('  ', ' '),
    }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'drops usage': (right) => async (request, options) => {
    const { usage: _usage, ...reply } = await right(request, options);
    return reply;
  },
  'drops the cost': (right) => async (request, options) => {
    const { costUsd: _cost, ...reply } = await right(request, options);
    return reply;
  },
  'drops reasoning': (right) => async (request, options) => {
    const reply = await right(request, options);
    const { reasoning_content: _reasoning, ...message } = reply.message;
    return { ...reply, message };
  },
  'gives calls other ids': (right) => async (request, options) => {
    const reply = await right(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({ ...call, id: `x_${call.id}` }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'gives two calls one id': (right) => async (request, options) => {
    const reply = await right(request, options);
    const calls = reply.message.tool_calls?.map((call) => ({ ...call, id: 'same' }));
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'turns calls around': (right) => async (request, options) => {
    const reply = await right(request, options);
    const calls = reply.message.tool_calls?.toReversed();
    return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
  },
  'forgets why a reply ended': (right) => async (request, options) => ({
    ...(await right(request, options)),
    finish: 'stop',
  }),
  'says everything twice': (right) => async (request, options) => {
    const { onDelta } = options ?? {};
    const twice = (delta: Delta): void => [1, 2].forEach(() => onDelta?.(delta));
    return right(request, { ...options, ...(onDelta && { onDelta: twice }) });
  },
  'swallows an abort': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
      if (error instanceof LlmError && error.code === 'aborted') return right(request);
      throw error;
    }),
  'says unavailable when it was aborted': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
      const isAbort = error instanceof LlmError && error.code === 'aborted';
      throw isAbort ? new LlmError('unavailable', error.message, { cause: error.cause }) : error;
    }),
  'loses the reason of an abort': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
      const isAbort = error instanceof LlmError && error.code === 'aborted';
      throw isAbort ? new LlmError('aborted', error.message) : error;
    }),
  'throws errors of its own': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
      throw new Error('Something failed.', { cause: error });
    }),
  'gives every reply one id': (right) => async (request, options) => ({
    ...(await right(request, options)),
    id: 'same',
  }),
  'makes up usage': (right) => async (request, options) => ({
    usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
    ...(await right(request, options)),
  }),
  'streams nothing': (right) => async (request, options) =>
    right(request, options?.signal ? { signal: options.signal } : {}),
  'ignores the signal': (right) => async (request, options) =>
    right(request, options?.onDelta && { onDelta: options.onDelta }),
  'hands out pieces after an abort': (right) => async (request, options) =>
    right(request, options).finally(() => options?.onDelta?.({ kind: 'text', text: 'late' })),
  'changes the request': (right) => async (request, options) => {
    Object.assign(request.messages[0] ?? {}, { name: 'changed' });
    return right(request, options);
  },
  'hands out pieces after the end': (right) => async (request, options) => {
    const reply = await right(request, options);
    queueMicrotask(() => queueMicrotask(() => options?.onDelta?.({ kind: 'text', text: 'late' })));
    return reply;
  },
  'leaves a listener at the signal': (right) => async (request, options) => {
    options?.signal?.addEventListener('abort', () => undefined);
    return right(request, options);
  },
  'turns the history around': (right) => async (request, options) =>
    right({ ...request, messages: request.messages.toReversed() }, options),
  'adds a blank block': (right) => async (request, options) => {
    const reply = await right(request, options);
    return { ...reply, message: { ...reply.message, content: [...reply.message.content, text('')] } };
  },
  'forgets how long to wait': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
      throw error instanceof LlmError ? new LlmError(error.code, error.message) : error;
    }),
  'calls every failure unavailable': (right) => async (request, options) =>
    right(request, options).catch((error: unknown) => {
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
    // One is enough, and some fail only when their patience has an end.
    await expect(Promise.all(checks)).rejects.toBeInstanceOf(Error);
  });
});
