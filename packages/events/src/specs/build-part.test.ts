import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Json } from '../json.ts';
import { buildPart } from './build-part.ts';
import { definePartKind, type PartSpec, type Registry, type SpecPath } from './part-kind.ts';
import { SpecError, type SpecProblem } from './spec-problem.ts';
import { partKindContract } from '../testing/part-kind-contract.ts';

interface Part {
  readonly spec: Json;
}
interface Context {
  readonly part: (spec: Json, ...path: SpecPath) => Part;
}

const leaf = definePartKind({
  kind: 'leaf',
  options: () => z.object({ size: z.number().positive(), apiKey: z.exactOptional(z.string()) }),
  aliases: ['Leaf'],
  create({ size }): Part {
    if (size > 100) throw new RangeError(`A size of ${size} is too large.`);
    return { spec: { kind: 'leaf', size } };
  },
});
const pair = definePartKind({
  kind: 'pair',
  options: () => z.object({ parts: z.array(z.json()) }),
  create: ({ parts }, { part }: Context): Part => ({
    spec: { kind: 'pair', parts: parts.map((child, index) => part(child, 'parts', index).spec) },
  }),
});
const examples: Readonly<Record<string, PartSpec>> = {
  leaf: { kind: 'leaf', size: 3 },
  pair: { kind: 'pair', parts: [{ kind: 'leaf', size: 1 }] },
};
const registry: Registry<Part, Context> = [leaf, pair];

function build(spec: Json, onIgnored?: (problem: SpecProblem) => void): Part {
  const at = (inner: Json, path: SpecPath): Part =>
    buildPart(inner, { registry, path, contextAt, ...(onIgnored && { onIgnored }) });
  const contextAt = (path: SpecPath): Context => ({ part: (inner, ...more) => at(inner, [...path, ...more]) });
  return at(spec, []);
}

function problemOf(spec: Json): SpecProblem {
  try {
    build(spec);
  } catch (error) {
    if (error instanceof SpecError) return error.problem;
    throw error;
  }
  throw new Error('It was built.');
}

const contextAt = (path: SpecPath): Context => ({
  part: (spec, ...more) => buildPart(spec, { registry, path: [...path, ...more], contextAt }),
});

test.for(partKindContract.flatMap((check) => registry.map((kind) => [kind.kind, check.title, kind, check] as const)))(
  '%s %s',
  ([name, , kind, check]) => {
    const example = examples[name] ?? { kind: 'none' };
    check.run({ kind, example, contextAt, specOf: ({ spec }: Part) => spec });
  },
);

test.for<[Json, SpecProblem]>([
  [5, { path: '', kind: '', reason: '5 is not an object with a kind.' }],
  [{ kind: 'tree' }, { path: '', kind: 'tree', reason: 'no part of this kind is registered.' }],
  [
    { kind: 'pair', parts: [{ kind: 'leaf', size: 'big' }] },
    { path: 'parts.0.size', kind: 'leaf', reason: expect.stringContaining('"big" is invalid') as string },
  ],
  [
    { kind: 'pair', parts: [{ kind: 'leaf', size: 101 }] },
    { path: 'parts.0', kind: 'leaf', reason: 'A size of 101 is too large.' },
  ],
  [
    { kind: 'leaf', size: 1, apiKey: 5 },
    { path: 'apiKey', kind: 'leaf', reason: expect.stringMatching(/^[^5]*$/) as string },
  ],
])('%j is a problem with a path and a value', ([spec, problem]) => {
  expect(problemOf(spec)).toEqual(problem);
});

test('nesting has a limit', () => {
  let spec: Json = { kind: 'leaf', size: 1 };
  for (let depth = 0; depth < 50; depth++) spec = { kind: 'pair', parts: [spec] };
  expect(problemOf(spec).reason).toContain('nested deeper');
});

test('unknown options are reported with their path', () => {
  const ignored: SpecProblem[] = [];
  build({ kind: 'pair', parts: [{ kind: 'leaf', size: 1, color: 'red' }] }, (problem) => ignored.push(problem));
  expect(ignored).toMatchObject([{ path: 'parts.0.color', kind: 'leaf' }]);
});

test('a part is built by another name of its kind', () => {
  expect(build({ kind: 'Leaf', size: 1 }).spec).toEqual({ kind: 'leaf', size: 1 });
});

test('the last kind of a name replaces the earlier ones', () => {
  const mine = { ...leaf, create: (): Part => ({ spec: 'mine' }) };
  const part = buildPart({ kind: 'leaf', size: 1 }, { registry: [...registry, mine], path: [], contextAt });
  expect(part.spec).toBe('mine');
});
