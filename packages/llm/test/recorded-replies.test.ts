import { readFileSync } from 'node:fs';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ToolSpec } from '../src/model-request.ts';
import { openaiChat } from '../src/chat/openai-chat.ts';
import { userRequest, scriptedModel, scriptedServer } from '../src/testing/index.ts';
import { mockFunctionCalling } from '../src/function-calling/mock-function-calling.ts';

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
    userRequest('Go', { tools }),
  );
  const calls = message.tool_calls?.map((call) => [call.name, JSON.parse(call.arguments) as unknown]);
  return { text: textOf(message.content), calls, invalidCalls };
}

test('a reply of a model trained on these tags, ended by the stop string', async () => {
  const written =
    'Let me verify it works by running it:\n\n<function=terminal>\n<parameter=command>node hello.js</parameter>\n<parameter=security_risk>LOW</parameter>\n';
  expect(await read(written)).toEqual({
    text: 'Let me verify it works by running it:',
    calls: [['terminal', { command: 'node hello.js', security_risk: 'LOW' }]],
    invalidCalls: undefined,
  });
});

function repliesIn(name: string): readonly unknown[] {
  const text = readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
  return z.array(z.unknown()).min(4).parse(JSON.parse(text));
}

const recorded = z.array(z.looseObject({ content: z.string() })).parse(repliesIn('prompted-calls.json'));

test.for(recorded.map(({ content }, index) => [index, content] as const))(
  'recorded reply %i gives its call and its words',
  async ([, content]) => {
    const { text, calls = [], invalidCalls } = await read(content);
    const name = /<function=(\w+)>/.exec(content)?.[1];
    expect([calls.map(([called]) => called), invalidCalls]).toEqual([name === undefined ? [] : [name], undefined]);
    expect(text).toBe(content.split('<function=')[0]?.trimEnd() ?? '');
  },
);

const completion = z.looseObject({
  id: z.string(),
  model: z.string(),
  choices: z.tuple([
    z.looseObject({
      finish_reason: z.enum(['stop', 'tool_calls']),
      message: z.looseObject({
        content: z.string().nullable(),
        tool_calls: z
          .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
          .nullish(),
      }),
    }),
  ]),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }),
});
const completions = z.array(completion).parse(repliesIn('native-calls.json'));

test.for(completions.map((each, index) => [index, each] as const))(
  'recorded completion %i, served again, gives its words, its calls and its usage',
  async ([, body]) => {
    await using server = await scriptedServer([{ fault: { kind: 'answer', body } }]);
    const reply = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Go', { tools }));
    const [{ message, finish_reason: finish }] = body.choices;
    expect({
      id: reply.id,
      model: reply.model,
      finish: reply.finish,
      text: textOf(reply.message.content),
      calls: reply.message.tool_calls?.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })) ?? [],
      usage: [reply.usage?.input_tokens, reply.usage?.output_tokens],
    }).toEqual({
      id: body.id,
      model: body.model,
      finish: finish === 'stop' ? 'stop' : 'tool-calls',
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
      usage: [body.usage.prompt_tokens, body.usage.completion_tokens],
    });
  },
);
