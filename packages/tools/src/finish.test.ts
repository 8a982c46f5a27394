import { expect, test } from 'vitest';
import { finish } from './finish.ts';

const schema = {
  type: 'object',
  description: 'How it went.',
  properties: {
    status: { enum: ['success', 'failed'], description: 'How it ended.' },
    files: { type: 'array', items: { $ref: '#/$defs/file' } },
  },
  required: ['status'],
  $defs: { file: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
};

test('without a schema the action has no structured output', () => {
  const tool = finish();
  expect(tool.toAction(tool.parse({ message: 'Done.' }))).toEqual({ message: 'Done.', kind: 'FinishAction' });
  expect(Object.keys(Object(tool.parameters['properties']))).toEqual(['message']);
});

test('with a schema the answer is stored as structured output', () => {
  const tool = finish({ responseSchema: schema });
  expect(tool.parameters).toMatchObject({
    properties: { message: {}, status: { enum: ['success', 'failed'] }, files: { items: { $ref: '#/$defs/file' } } },
    $defs: schema.$defs,
    required: ['message', 'status'],
  });
  const call = tool.parse({ message: 'Done.', status: 'success', files: [{ path: 'a' }] });
  expect(tool.toAction(call)).toEqual({
    message: 'Done.',
    structured_output: { status: 'success', files: [{ path: 'a' }] },
    kind: 'FinishAction',
  });
});

test.for([
  [{ message: 'Done.' }, 'status'],
  [{ message: 'Done.', status: 'swordfish' }, 'status'],
  [{ message: 'Done.', status: 'failed', more: 'swordfish' }, 'more'],
  [{ status: 'failed' }, 'message'],
  [{ message: 'Done.', status: 'failed', files: [{ path: 7 }] }, 'files.0.path'],
] as const)('an invalid answer is rejected with the field and without its value: %j', ([input, name]) => {
  const tool = finish({ responseSchema: schema });
  expect(() => tool.parse(input)).toThrow(name);
  expect(() => tool.parse(input)).not.toThrow('swordfish');
});

test('an invalid stored answer is rejected', () => {
  const tool = finish({ responseSchema: schema });
  const action = { message: 'Done.', structured_output: { status: 'other' }, kind: 'FinishAction' };
  expect(() => tool.fromAction(action)).toThrow('status');
  expect(() => tool.fromAction({ message: 'Done.', kind: 'FinishAction' })).toThrow('not valid');
});

test.for([
  [{ type: 'array' }, 'named properties'],
  [{ type: 'object', properties: {} }, 'named properties'],
  [{ ...schema, additionalProperties: true }, 'without a name'],
  [{ ...schema, minProperties: 1 }, 'minProperties'],
  [{ ...schema, properties: { ...schema.properties, summary: {} } }, 'summary'],
  [{ ...schema, properties: { ...schema.properties, message: {} } }, 'message'],
  [{ ...schema, required: ['other'] }, 'other'],
] as const)('a schema of anything else is unusable: %j', ([responseSchema, why]) => {
  expect(() => finish({ responseSchema })).toThrow(why);
});
