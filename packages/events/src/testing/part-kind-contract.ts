import assert from 'node:assert/strict';
import type { Json } from '../json.ts';
import { buildPart } from '../specs/build-part.ts';
import type { PartKind, PartSpec, SpecPath } from '../specs/part-kind.ts';
import { SpecError, type SpecProblem } from '../specs/spec-problem.ts';

/** Input of a check: one kind, and how its parts are built and read. */
export interface PartKindSubject<Part, Context> {
  readonly kind: PartKind<Part, Context>;
  /** A complete spec of this kind. */
  readonly example: PartSpec;
  readonly contextAt: (path: SpecPath) => Context;
  /** Returns the spec of a part. */
  readonly specOf: (part: Part) => Json;
}

/** Check that every kind of a registry must pass. */
export interface PartKindCheck {
  readonly title: string;
  run<Part, Context>(subject: PartKindSubject<Part, Context>): void;
}

/** Values that are no options of any part. */
const garbage: readonly Json[] = [{}, [], [{}], 'x\u0000', -1, 0.5, 1e300, true, null];

/** Checks of the `PartKind` contract. A failing check throws an AssertionError. */
export const partKindContract: readonly PartKindCheck[] = [
  {
    title: 'rebuilds its example with the same spec',
    run(subject) {
      const { example, kind } = subject;
      assert.equal(example.kind, kind.kind);
      assert.deepEqual(build(subject, example), { spec: example, ignored: [] });
    },
  },
  {
    title: 'reports an option that it does not have',
    run(subject) {
      const { ignored } = build(subject, { ...subject.example, notAnOption: 1 });
      assert.deepEqual(ignored, ['notAnOption']);
    },
  },
  {
    title: 'accepts garbage in an option with a stable spec, or names the option',
    run(subject) {
      const { example, kind } = subject;
      for (const field of Object.keys(kind.options().shape)) {
        for (const value of garbage) tryGarbage(subject, { ...example, [field]: value }, field);
      }
    },
  },
];

function tryGarbage<Part, Context>(subject: PartKindSubject<Part, Context>, spec: PartSpec, field: string): void {
  try {
    const { spec: rebuilt } = build(subject, spec);
    assert.deepEqual(build(subject, rebuilt).spec, rebuilt);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const { path, reason } = error.problem;
    // A constructor that rejects a value names it itself.
    assert.ok(path === '' || path === field || path.startsWith(`${field}.`), `${field}: ${path}`);
    assert.notEqual(reason.trim(), '');
  }
}

function build<Part, Context>({ kind, contextAt, specOf }: PartKindSubject<Part, Context>, spec: Json) {
  const ignored: SpecProblem[] = [];
  const part = buildPart(spec, {
    registry: [kind],
    path: [],
    contextAt,
    onIgnored: (problem) => ignored.push(problem),
  });
  return { spec: specOf(part), ignored: ignored.map(({ path }) => path) };
}
