import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const script = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^openai(?:\\/|$)/.test(specifier)) console.log(specifier);
      return next(specifier, context);
    },
  });
  const { openaiChat } = await import('@varve/llm');
  const model = openaiChat({ model: 'm', baseUrl: process.env.SERVER });
  const { message } = await model.generate({ messages: [], tools: [], parameters: {} });
  console.log(message.content[0].text);
  const undici = process.moduleLoadList.filter((name) => name.includes('undici'));
  console.log(undici.length === 0 ? 'no undici' : undici.join());
`;

test('a call loads neither the openai client nor the fetch of Node', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  const env = { ...process.env, SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname, env });
  expect(stdout).toBe('Hello.\nno undici\n');
});
