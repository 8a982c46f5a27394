import { functionCalling } from '@varve/llm';
import { scriptedModel, userRequest } from '@varve/llm/testing';
import type { JsonSchema } from '@varve/text';
import { type Tool, clientTool } from '@varve/tools';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offeredTool } from '../src/request/offered-tools.ts';
import { readCall } from '../src/run/calls/read-call.ts';

/** Schemas as servers of tools publish them, and valid arguments. */
const text = fc.oneof(fc.stringMatching(/^[a-z ]{1,12}$/), fc.constantFrom('a\nb', '<b>', 'größe', "it's {x}"));
const word = fc.stringMatching(/^[a-z]{2,8}$/);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

interface Case {
  readonly schema: JsonSchema;
  readonly input: fc.Arbitrary<Readonly<Record<string, unknown>>>;
}

const object = (properties: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...rest });
const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] };

const cases: Readonly<Record<string, Case>> = {
  'strict mode: everything is required, and may be null': {
    schema: object(
      {
        due: { type: ['string', 'null'] },
        kind: { type: ['string', 'null'], enum: ['soon', null] },
        note: nullableText,
      },
      { required: ['due', 'kind', 'note'], additionalProperties: false },
    ),
    input: fc.record({ due: fc.option(word), kind: fc.constantFrom('soon', null), note: fc.option(word) }),
  },
  'references, lists and nested objects': {
    schema: object(
      {
        files: { type: 'array', items: { $ref: '#/$defs/file' } },
        limit: { type: 'integer', minimum: 0 },
        ratio: { type: 'number' },
        dry: { type: 'boolean' },
      },
      { required: ['files'], $defs: { file: object({ path: { type: 'string' }, tags: { type: 'array' } }) } },
    ),
    input: fc.record(
      {
        files: fc.array(fc.record({ path: text, tags: fc.array(text, { maxLength: 2 }) }), { maxLength: 3 }),
        limit: fc.nat(),
        ratio: fc.constantFrom(0.5, -2, 1e-7),
        dry: fc.boolean(),
      },
      { requiredKeys: ['files'] },
    ),
  },
  'any keys': { schema: { type: 'object' }, input: fc.dictionary(word, text, { maxKeys: 3 }) },
  'a map of labels': {
    schema: object({}, { additionalProperties: { type: 'string' } }),
    input: fc.dictionary(word, text, { maxKeys: 3 }),
  },
  'known and other keys': {
    schema: object({ id: { type: 'integer' } }, { additionalProperties: true }),
    input: fc.tuple(fc.integer(), fc.dictionary(word, fc.nat(), { maxKeys: 2 })).map(([id, rest]) => ({ ...rest, id })),
  },
  'a union at the root': {
    schema: {
      type: 'object',
      anyOf: [
        object({ id: { type: 'integer' } }, { required: ['id'] }),
        object({ name: { type: 'string' } }, { required: ['name'] }),
      ],
    },
    input: fc.oneof(fc.record({ id: fc.integer() }), fc.record({ name: text })),
  },
  'a tuple and a list of anything': {
    schema: object({
      point: { type: 'array', items: [{ type: 'number' }, { type: 'number' }] },
      list: { type: 'array' },
    }),
    input: fc.record(
      { point: fc.tuple(fc.integer(), fc.integer()), list: fc.array(word) },
      { requiredKeys: ['point'] },
    ),
  },
  'variants of a value, and names of the agent': {
    schema: object(
      {
        target: { oneOf: [{ type: 'integer' }, { type: 'array', items: { type: 'string' } }] },
        security_risk: { type: 'string' },
        summary: { type: 'string' },
      },
      { required: ['target'] },
    ),
    input: fc
      .record({
        target: fc.oneof(fc.integer(), fc.array(word)),
        security_risk: optional(word),
        summary: optional(word),
      })
      .map((fields) => JSON.parse(JSON.stringify(fields)) as Readonly<Record<string, unknown>>),
  },
};

test.for(Object.entries(cases))('arguments arrive natively and as text: %s', async ([, { schema, input }]) => {
  const tool: Tool = clientTool({ name: 'act', description: 'Acts.', parameters: schema });
  const tools = new Map([[tool.name, tool]]);
  const request = userRequest('Go', { tools: [offeredTool(tool)] });
  await fc.assert(
    fc.asyncProperty(input, async (args) => {
      for (const mode of ['native', 'mock'] as const) {
        const calls = [{ name: 'act', arguments: args }];
        const inner = scriptedModel(
          [
            { text: '', calls },
            { text: '', calls },
          ],
          { prompted: mode === 'mock' },
        );
        const { message, invalidCalls } = await functionCalling({ mode })(inner).generate(request);
        const [call] = message.tool_calls ?? [];
        expect([mode, invalidCalls]).toEqual([mode, undefined]);
        const read = call && readCall(call, tools);
        expect(read).toMatchObject({ kind: 'valid' });
        expect(read?.kind === 'valid' && tool.fromAction(read.action)).toEqual(args);
      }
    }),
    { numRuns: 40 },
  );
});
