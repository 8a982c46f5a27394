import { expect, test } from 'vitest';
import { scriptedModel } from '../testing/index.ts';
import { explainFailures } from './explain-failures.ts';

test.for([
  ['The key is wrong', 'The key is wrong. No key was sent.'],
  ['The key is wrong.', 'The key is wrong. No key was sent.'],
])('a sentence is added to the message %j after its end', async ([message = '', explained]) => {
  const failing = scriptedModel([{ error: { code: 'unauthenticated', message } }]);
  const model = explainFailures(() => 'No key was sent.')(failing);
  await expect(model.generate({ messages: [], tools: [], parameters: {} })).rejects.toThrow(explained);
});
