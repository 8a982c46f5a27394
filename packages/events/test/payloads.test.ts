import { describe, expect, test } from 'vitest';
import { FileEditorAction, TerminalAction, type Payload } from '../src/payloads/index.ts';
import { observationKinds } from './observation-kinds.ts';
import { definedPayloads } from './definitions.ts';
import { payloadFields } from './example-of.ts';

describe.for(definedPayloads.map((definition) => [definition.kind, definition] as const))('%s', ([, definition]) => {
  const fields = payloadFields(definition);
  const payload: Payload = definition.create(fields as never);

  test('reads back unchanged, and takes null for absence', () => {
    expect(definition.read(payload)).toEqual(payload);
    const optional = Object.entries(definition.fields.shape).flatMap(([name, field]) =>
      (field as { isOptional(): boolean }).isOptional() ? [name] : [],
    );
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    const bare = Object.fromEntries(Object.entries(payload).filter(([name]) => !optional.includes(name)));
    expect(definition.read({ ...payload, ...nulls })).toEqual(definition.read(bare as Payload));
  });

  test('rejects unknown fields when created and keeps them when read', () => {
    expect(() => definition.create({ ...fields, invented: 1 } as never)).toThrow('invented');
    expect(definition.read({ ...payload, invented: { deep: null } })).toMatchObject({ invented: { deep: null } });
  });
});

test('every exported observation is in the list of observation kinds', () => {
  const observations = definedPayloads.map(({ kind }) => kind).filter((kind) => kind.endsWith('Observation'));
  expect(observationKinds.map(({ kind }) => kind).toSorted()).toEqual(observations.toSorted());
});

test('a payload of another kind, or with invalid fields, is not read', () => {
  expect(TerminalAction.read(undefined)).toBeUndefined();
  expect(TerminalAction.read({ thought: 'x', kind: 'ThinkAction' })).toBeUndefined();
  expect(FileEditorAction.read({ command: 'view', path: '/a', kind: 'PlanningFileEditorAction' })).toBeUndefined();
  expect(TerminalAction.read({ command: 7, kind: 'TerminalAction' })).toBeUndefined();
});
