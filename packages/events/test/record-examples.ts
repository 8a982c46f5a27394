import type { BaseEvent } from '../src/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import type { Payload } from '../src/payloads/index.ts';
import { definedFacts, definedPayloads } from './definitions.ts';
import { exampleOf, exampleOfFields, payloadFields } from './example-of.ts';
import { eventExamples } from './examples.ts';

const stamp = { id: '00000000-0000-4000-8000-000000000004', timestamp: '2026-02-03T04:05:04.000007' };

/** Returns an event of every built-in kind and of every fact, by the name of its golden file. */
export function exampleEvents(): readonly (readonly [name: string, event: BaseEvent])[] {
  return [
    ...builtinKinds.map((definition): [string, BaseEvent] => [
      definition.kind,
      eventExamples[definition.kind] ??
        definition.create({ source: 'environment', ...exampleOfFields(definition.fields) } as never, stamp),
    ]),
    ...definedFacts.map((definition): [string, BaseEvent] => [
      definition.key,
      eventExamples[definition.key] ?? definition.create(exampleOf(definition.schema), stamp),
    ]),
  ];
}

/** Returns a payload of every kind, by the name of its golden file. */
export function examplePayloads(): readonly (readonly [name: string, payload: Payload])[] {
  return definedPayloads.map((definition) => [definition.kind, definition.create(payloadFields(definition) as never)]);
}

/** Returns an example of every record, by the name of its golden file. */
export function recordExamples(): readonly (readonly [name: string, record: BaseEvent | Payload])[] {
  return [...exampleEvents(), ...examplePayloads()];
}
