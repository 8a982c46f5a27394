import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^openai(?:\\/|$)/.test(specifier)) console.log(specifier);
      return next(specifier, context);
    },
  });
  const { openaiChat } = await import('@varve/llm');
  const fetch = async () => Response.json({ choices: [{ message: { content: 'Hello.' } }] });
  const model = openaiChat({ model: 'm', fetch });
  console.log('created');
  await model.generate({ messages: [], tools: [], parameters: {} });
`;

test('the openai client is loaded with the first call', async () => {
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  expect(stdout).toBe('created\nopenai\n');
});
