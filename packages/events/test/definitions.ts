import * as facts from '../src/facts/index.ts';
import type { FactDefinition } from '../src/facts/index.ts';
import type { PayloadDefinition } from '../src/payloads/index.ts';
import * as payloads from '../src/payloads/index.ts';

/** Definition of some payload. */
export type DefinedPayload = PayloadDefinition<string, Readonly<Record<string, never>>>;

/** Every payload definition that the package exports. */
export const definedPayloads: readonly DefinedPayload[] = Object.values(payloads).filter(
  (one): one is typeof one & DefinedPayload => typeof one === 'object' && 'create' in one,
);

/** Every fact that the package exports. */
export const definedFacts: readonly FactDefinition<unknown>[] = Object.values(facts).filter(
  (one) => typeof one === 'object' && 'key' in one,
);
