import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolSpec } from '../model-request.ts';
import { asking, scriptedModel } from '../testing/index.ts';
import { mockFunctionCalling } from './mock-function-calling.ts';

const string = { type: 'string' };
const tools: readonly ToolSpec[] = [
  {
    name: 'terminal',
    description: '',
    parameters: { type: 'object', properties: { command: string, security_risk: string } },
  },
  { name: 'finish', description: '', parameters: { type: 'object', properties: { message: string } } },
];

async function read(written: string) {
  const { message, invalidCalls } = await mockFunctionCalling()(scriptedModel([{ text: written }])).generate(
    asking('Go', { tools }),
  );
  const calls = message.tool_calls?.map((call) => [call.name, JSON.parse(call.arguments) as unknown]);
  return { text: textOf(message.content), calls, invalidCalls };
}

test('a reply as a model wrote it that was trained on these tags, its end taken by the stop string', async () => {
  const written =
    'Let me verify it works by running it:\n\n<function=terminal>\n<parameter=command>node hello.js</parameter>\n<parameter=security_risk>LOW</parameter>\n';
  expect(await read(written)).toEqual({
    text: 'Let me verify it works by running it:',
    calls: [['terminal', { command: 'node hello.js', security_risk: 'LOW' }]],
    invalidCalls: undefined,
  });
});

const file = fileURLToPath(
  new URL('../../../../../shared/fixtures/model-replies/prompted-calls-deepseek.json', import.meta.url),
);
const recorded = existsSync(file)
  ? z.array(z.looseObject({ content: z.string() })).parse(JSON.parse(readFileSync(file, 'utf8')))
  : [];

test.for(recorded.map(({ content }, index) => [index, content] as const))(
  'recorded reply %i gives its call and its words',
  async ([, content]) => {
    const { text, calls = [], invalidCalls } = await read(content);
    const name = /<function=(\w+)>/.exec(content)?.[1];
    expect([calls.map(([called]) => called), invalidCalls]).toEqual([name === undefined ? [] : [name], undefined]);
    expect(text).toBe(content.split('<function=')[0]?.trimEnd() ?? '');
  },
);
