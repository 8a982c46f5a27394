import { expect, test } from 'vitest';
import { redactSecretFields } from './secret-fields.ts';

test('fields with the name of a secret are null, and values of environments and headers are replaced', () => {
  const configuration = {
    llm: { model: 'm', api_key: 'k', aws_access_key_id: 'i', max_input_tokens: 5, extra_headers: { Cookie: 'c' } },
    tools: [{ params: { env: { HOME: '/' }, token: 't' } }],
    is_secret: true,
  };
  expect(redactSecretFields(configuration, '***')).toEqual({
    llm: { model: 'm', api_key: null, aws_access_key_id: null, max_input_tokens: 5, extra_headers: { Cookie: '***' } },
    tools: [{ params: { env: { HOME: '***' }, token: null } }],
    is_secret: true,
  });
});
