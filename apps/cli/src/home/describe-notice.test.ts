import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { text } from '@varve/events';
import { scriptedServer } from '@varve/llm/testing';
import { flagsOf } from '../opening/run-flags.ts';
import { settingsFor } from './settings.ts';
import { modelFromSettings } from '@varve/settings/agent';
import { modelOptions, noticesFor } from './configured-model.ts';
import { terminalIo } from '../terminal/terminal-io.ts';

const call = (path: string): string => `<function=look>\n<parameter=path>${path}</parameter>\n</function>`;
const look = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

test('with calls as text, the user is informed that a second call was ignored', async () => {
  // The server ignores stop strings, so the reply has both calls.
  await using server = await scriptedServer([{ text: `${call('a')}\n${call('b')}` }]);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = terminalIo({ env: { HOME: '/nowhere' }, cwd: '/nowhere', stdin: Readable.from(['']), stdout, stderr });
  const lines: string[] = [];
  const options = { model: 'm', baseUrl: server.url, functionCalling: 'mock' } as const;
  const settings = await settingsFor(io, { flags: flagsOf(options) });
  const { model } = await modelFromSettings({
    ...modelOptions(io, { settings }),
    notices: noticesFor((line) => lines.push(line)),
  });
  const messages = [{ role: 'user' as const, content: [text('Look.')], thinking_blocks: [] }];
  const reply = await model.generate({ messages, tools: [look], parameters: {} });
  expect(reply.message.tool_calls?.map(({ arguments: args }) => args)).toEqual(['{"path":"a"}']);
  expect(lines).toEqual([expect.stringMatching(/^The model wrote \d+ more characters after its call/)]);
});
