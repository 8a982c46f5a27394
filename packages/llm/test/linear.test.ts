import type { Message } from '@varve/events';
import { expect, test } from 'vitest';
import type { ToolSpec } from '../src/model-request.ts';
import { functionCalling } from '../src/function-calling/function-calling.ts';
import { mockFunctionCalling } from '../src/function-calling/mock-function-calling.ts';
import { userRequest, scriptedModel } from '../src/testing/index.ts';

const tools: readonly ToolSpec[] = [
  {
    name: 'grep',
    description: '',
    parameters: { type: 'object', properties: { pattern: { type: 'string' }, list: { type: 'array' } } },
  },
];

/** Units that begin, end or almost are what the parsers of text calls look for. */
const units: readonly string[] = [
  '<function=grep>',
  '<function=grep>\n<parameter=pattern>',
  '<function=grep>\n<parameter=pattern>x</parameter>\n</function>\n',
  '<parameter=pattern>',
  '</parameter>',
  '</parameter>\n<parameter=',
  '</function>',
  '<function=',
  '<tool_call>',
  '<tool_call>{"name":"grep","arguments":{}}</tool_call>',
  '<tool_call>grep\n<arg_key>pattern</arg_key><arg_value>',
  '<invoke name="grep">',
  '<invoke name="grep"><parameter name="pattern">',
  '</invoke>',
  '<think>',
  '</think>',
  '```json\n',
  '```\n```',
  '`',
  '` `',
  '> ',
  '{"name":"grep","arguments":',
  '{"a":',
  '[',
  '"\\',
  ' ',
  '\n',
  ' \n<',
  '<',
  '[TOOL_CALLS]',
  '<![CDATA[',
  ']]>',
];

/** Long texts: one unit repeated, after a call that has begun or not. */
const starts = ['x ', '<function=grep>\n<parameter=list>', '<function=grep>\n<parameter=pattern>', '<tool_call>'];

const read = async (written: string): Promise<readonly Message[]> => {
  const models = [mockFunctionCalling(), functionCalling()].map((wrap) =>
    wrap(scriptedModel([1, 2, 3, 4].map(() => ({ text: written })))),
  );
  const replies = models.map((model) => model.generate(userRequest('Go', { tools }), { onDelta: () => undefined }));
  return Promise.all(replies.map(async (reply) => (await reply).message));
};

/** The time limit of a test is hundreds of times as long as a linear parser needs, and too short for any other. */
test.for(units)('a long reply of %j is read', { timeout: 60_000 }, async (unit) => {
  for (const start of starts) {
    const messages = await read(start + unit.repeat(150_000 / unit.length));
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'assistant']);
  }
});
