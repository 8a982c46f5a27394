import { textOf } from '@varve/events';
import { presentObservation } from '@varve/events/payloads';
import { expect, test } from 'vitest';
import { openedTool } from '../testing/opened-tool.ts';
import { think } from '../think.ts';
import { clientTool, clientTools } from './client-tool.ts';
import { clientToolSpec } from './client-tool-spec.ts';

const parameters = {
  type: 'object',
  properties: {
    panel: { type: 'string', enum: ['diff', 'shell'], description: 'Which one.' },
    width: { type: 'integer', minimum: 3, default: 80 },
    more: { type: 'array', items: { type: 'object', properties: { x: { type: 'number' } } }, maxItems: 2 },
  },
  required: ['panel'],
} as const;
const spec = { name: 'show_panel', description: 'Shows a panel.', parameters };

test('a call is answered immediately, with the note that its result is not available', async () => {
  await using opened = await openedTool(clientTool(spec));
  const observation = await opened.call({ panel: 'diff' });
  expect(observation).toMatchObject({ is_error: false, kind: 'ClientToolObservation' });
  expect(textOf(presentObservation(observation))).toMatch(/passed to the client.*not available/);
});

test('the action has the arguments as fields, and the kind of this tool', () => {
  const tool = clientTool(spec);
  const action = tool.toAction(tool.parse({ panel: 'shell', more: [{ x: 1 }] }));
  expect(JSON.stringify(action)).toBe('{"panel":"shell","more":[{"x":1}],"kind":"ClientAction_show_panel"}');
});

test('models receive the parameters exactly as the client sent them', () => {
  expect(clientTool(spec).parameters).toEqual(parameters);
  expect(clientTool({ name: 'ping', description: '' }).parameters).toEqual({ type: 'object', properties: {} });
});

test('bounds, enumerations and nested fields are checked, and messages contain no values', () => {
  const tool = clientTool(spec);
  for (const [input, field] of [
    [{ panel: 'swordfish' }, 'panel'],
    [{ panel: 'diff', width: 2 }, 'width'],
    [{ panel: 'diff', more: [{ x: 'swordfish' }] }, 'more.0.x'],
    [{ panel: 'diff', more: [{}, {}, {}] }, 'more'],
    [{}, 'panel'],
  ] as const) {
    expect(() => tool.parse(input)).toThrow(new RegExp(`not valid.*\\b${field}\\b(?!.*swordfish)`));
  }
});

test('fields without a description are accepted if the schema allows them', () => {
  const open = clientTool({ ...spec, parameters: { ...parameters, additionalProperties: { type: 'number' } } });
  expect(open.parse({ panel: 'diff', other: 7 })).toEqual({ panel: 'diff', other: 7 });
  expect(() => open.parse({ panel: 'diff', other: 'x' })).toThrow('other');
  const combined = { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }, { required: ['b'] }] };
  expect(clientTool({ ...spec, parameters: combined }).parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
});

test.for([
  ['other fields are not mentioned', {}, [{ b: 'x' }, { b: null, c: 1 }], [{}]],
  ['other fields are allowed', { additionalProperties: true }, [{ b: 'x', c: 1 }], [{}, { c: 1 }]],
  ['other fields have one type', { additionalProperties: { type: 'number' } }, [{ b: 1 }], [{}, { b: 'x' }]],
  ['other fields are refused', { additionalProperties: false }, [], [{}, { b: 1 }]],
  ['a pattern describes it', { patternProperties: { '^b': { type: 'number' } } }, [{ b: 1 }], [{}, { b: 'x' }]],
  [
    'it is required further inside',
    { required: [], properties: { in: { type: 'array', items: { type: 'object', required: ['b'] } } } },
    [{}, { in: [{ b: 1 }] }],
    [{ in: [{ b: 1 }, {}] }],
  ],
] as const)('a required field without a description must be present: %s', ([, rest, right, wrong]) => {
  const required = { type: 'object', required: ['b'], ...rest };
  const tool = clientTool({ ...spec, parameters: required });
  for (const input of right) expect(tool.parse(input)).toEqual(input);
  for (const input of wrong) expect(() => tool.parse(input)).toThrow('not valid');
  expect(tool.parameters).toEqual(required);
});

test('an argument named like the kind of a payload is restored under its name', () => {
  const properties = { kind: { type: 'string' }, kind_: { type: 'string' }, kindly: { type: 'string' } };
  const tool = clientTool({ ...spec, parameters: { type: 'object', properties } });
  const input = { kind: 'one', kind_: 'two', kindly: 'three' };
  const action = tool.toAction(tool.parse(input));
  expect(action).toEqual({ kind_: 'one', kind__: 'two', kindly: 'three', kind: 'ClientAction_show_panel' });
  expect(tool.fromAction(action)).toEqual(input);
});

test('arguments that a log cannot store are refused', () => {
  const tool = clientTool({ ...spec, parameters: { type: 'object', additionalProperties: true } });
  let deep: unknown = 1;
  for (let level = 0; level < 500; level += 1) deep = [deep];
  expect(() => tool.toAction(tool.parse({ deep }))).toThrow('levels');
});

test('without annotations the hints are cautious, and the definition has none', () => {
  const tool = clientTool(spec);
  expect(tool.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  expect(tool.effect({})).toBe('write');
  expect(Object.keys(tool.definition)).toEqual([
    'description',
    'action_type',
    'observation_type',
    'client_tool_name',
    'input_schema',
    'kind',
    'title',
  ]);
});

test('the hints of the client determine the effect of a call', () => {
  const hinted = (annotations: object): string => clientTool({ ...spec, annotations }).effect({});
  expect(hinted({ readOnlyHint: true })).toBe('read');
  expect(hinted({ idempotentHint: true })).toBe('idempotent');
  expect(hinted({ title: 'Panel' })).toBe('write');
  const { definition } = clientTool({ ...spec, annotations: { title: 'Panel', openWorldHint: false } });
  expect(definition['title']).toBe('Panel');
  expect(definition['annotations']).toMatchObject({ title: 'Panel', readOnlyHint: false, openWorldHint: false });
});

test('two conversations may have tools of the same name with different parameters', () => {
  const tool = clientTool({ ...spec, parameters: { ...parameters, $id: 'panel' } });
  const other = clientTool({
    ...spec,
    parameters: { type: 'object', $id: 'panel', properties: { x: { type: 'number' } } },
  });
  expect(tool.parse({ panel: 'diff' })).toEqual({ panel: 'diff' });
  expect(other.parse({ x: 1 })).toEqual({ x: 1 });
});

test('the spec of a client, of a stored agent and of a system prompt event return the same tool', () => {
  const tool = clientTool({ ...spec, annotations: { title: 'Panel' } });
  const sent = { ...spec, annotations: { title: 'Panel' }, unknown: 1 };
  for (const stored of [sent, { name: spec.name, params: { spec: sent } }, tool.definition]) {
    const again = clientTool(clientToolSpec(JSON.parse(JSON.stringify(stored))));
    expect(again.definition).toEqual(tool.definition);
  }
  expect(clientToolSpec({ ...spec, parameters: null, annotations: null })).toEqual({
    name: 'show_panel',
    description: 'Shows a panel.',
  });
});

test.for([
  ['a name that models cannot call', { ...spec, name: 'show panel' }, 'name'],
  ['no description', { name: 'x' }, 'description'],
  ['no object', 'x', 'expected object'],
  ['hints of another type', { ...spec, annotations: { readOnlyHint: 'yes' } }, 'annotations.readOnlyHint'],
  ['parameters of another type', { ...spec, parameters: { type: 'string' } }, 'type object'],
  ['an unknown dialect', { ...spec, parameters: { type: 'object', $schema: 'urn:x' } }, 'urn:x'],
] as const)('%s makes a spec unusable', ([, wrong, reason]) => {
  const make = (): unknown => clientTools([wrong]);
  expect(make).toThrow(reason);
  expect(make).toThrow(expect.objectContaining({ code: 'unusable' }));
});

test('a duplicate name, or the name of another tool, is refused', () => {
  expect(clientTools([spec, { ...spec, name: 'other' }]).map(({ name }) => name)).toEqual(['show_panel', 'other']);
  expect(() => clientTools([spec, spec])).toThrow('show_panel');
  expect(() => clientTools([{ ...spec, name: 'think' }], [think()])).toThrow('think');
});
/** Definitions written by version 1.43.1 of the reference. */
const recorded = {
  tool: '{"name":"run_command","params":{"spec":{"name":"run_command","description":"d","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]},"annotations":null}}}',
  definition:
    '{"description":"d","action_type":"ClientAction_run_command","observation_type":"ClientToolObservation","client_tool_name":"run_command","input_schema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]},"kind":"ClientTool","title":"run_command"}',
  action: '{"command":"hello","kind":"ClientAction_run_command"}',
};

test('a tool stored by the reference is read unchanged, and parses the calls stored with it', () => {
  const [tool] = clientTools([JSON.parse(recorded.tool)]);
  expect(JSON.stringify(tool?.definition)).toBe(recorded.definition);
  expect(JSON.stringify(tool?.toAction(tool.fromAction(JSON.parse(recorded.action))))).toBe(recorded.action);
});
