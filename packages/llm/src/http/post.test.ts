import { expect, test } from 'vitest';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest } from '../testing/index.ts';

test.for([
  [new TypeError('fetch failed', { cause: new Error('connect ETIMEDOUT 192.0.2.1:443') }), 'timeout'],
  [new Error('The connection timed out.'), 'timeout'],
  [new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') }), 'unavailable'],
] as const)('a connection that fails with %s is an error with the code %s', async ([error, code]) => {
  const fetch = () => Promise.reject(error);
  const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', fetch });
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ name: 'LlmError', code });
});

const notLoaded: typeof fetch = async () => Response.json({ detail: 'The model is not loaded.' }, { status: 404 });

test('an error body without the field "error" is part of the message', async () => {
  const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', fetch: notLoaded });
  const message = 'm at http://127.0.0.1:9/v1 answered 404: The model is not loaded.';
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ status: 404, message });
});
