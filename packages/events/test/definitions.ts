import * as facts from '../src/facts/index.ts';
import type { PayloadDefinition } from '../src/payloads/index.ts';
import * as foreignPayloads from './foreign-payloads.ts';
import * as payloads from '../src/payloads/index.ts';
import type { FactDefinition } from '../src/facts/define-fact.ts';

/** Definition of some payload. */
export type DefinedPayload = PayloadDefinition<string, Readonly<Record<string, never>>>;

/** Every payload definition, also of tools that varve does not have. */
export const definedPayloads: readonly DefinedPayload[] = [
  ...Object.values(payloads),
  ...Object.values(foreignPayloads),
].filter(
  (definition): definition is typeof definition & DefinedPayload =>
    typeof definition === 'object' && 'create' in definition,
);

/** Every fact that the package exports. */
export const definedFacts: readonly FactDefinition<unknown>[] = Object.values(facts).filter(
  (definition) => typeof definition === 'object' && 'key' in definition,
);
