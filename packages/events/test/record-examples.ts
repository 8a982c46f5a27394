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
    ...builtinKinds.map((one): [string, BaseEvent] => [
      one.kind,
      eventExamples[one.kind] ?? one.create({ source: 'environment', ...exampleOfFields(one.fields) } as never, stamp),
    ]),
    ...definedFacts.map((one): [string, BaseEvent] => [
      one.key,
      eventExamples[one.key] ?? one.create(exampleOf(one.schema), stamp),
    ]),
  ];
}

/** Returns a payload of every kind, by the name of its golden file. */
export function examplePayloads(): readonly (readonly [name: string, payload: Payload])[] {
  return definedPayloads.map((one) => [one.kind, one.create(payloadFields(one) as never)]);
}

/** Returns an example of every record, by the name of its golden file. */
export function recordExamples(): readonly (readonly [name: string, record: BaseEvent | Payload])[] {
  return [...exampleEvents(), ...examplePayloads()];
}
