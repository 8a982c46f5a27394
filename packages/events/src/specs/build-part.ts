import type { Json } from '../json.ts';
import type { PartKind, PartSpec, Registry, SpecPath } from './part-kind.ts';
import { optionProblem, pathText, SpecError, valueText, type SpecProblem } from './spec-problem.ts';

/** Options of {@link buildPart}. */
export interface BuildOptions<Part, Context> {
  readonly registry: Registry<Part, Context>;
  /** Position of the spec. */
  readonly path: SpecPath;
  /** Returns the context for a part at this position. */
  readonly contextAt: (path: SpecPath) => Context;
  /** Called for each option that the kind does not have. Must not throw. */
  readonly onIgnored?: (problem: SpecProblem) => void;
}

/** Deepest nesting of parts. */
const maxNesting = 20;

/**
 * Rebuilds a part from its spec by the kind that the registry has for it.
 *
 * @throws {SpecError} for a spec without a kind, a kind that the registry does not have, invalid options, and a part
 * that rejects them.
 */
export function buildPart<Part, Context>(spec: Json, options: BuildOptions<Part, Context>): Part {
  return preparePart(spec, options)(options.contextAt(options.path));
}

/**
 * Checks a spec now and returns a function that creates its part later, each time another one: for parts that every
 * conversation has of its own.
 *
 * @throws {SpecError} as {@link buildPart} does; the function throws for a part that rejects its options.
 */
export function preparePart<Part, Context>(
  spec: Json,
  { registry, path, onIgnored }: Omit<BuildOptions<Part, Context>, 'contextAt'>,
): (context: Context) => Part {
  if (!isPartSpec(spec)) throw problemAt(path, '', `${valueText(spec, path)} is not an object with a kind.`);
  const { kind: name, ...fields } = spec;
  if (path.length > maxNesting * 2) throw problemAt(path, name, `it is nested deeper than ${maxNesting} parts.`);
  const kind = registry.findLast((candidate) => candidate.kind === name || candidate.aliases?.includes(name));
  if (!kind) throw problemAt(path, name, 'no part of this kind is registered.');
  const parsed = kind.options().safeParse(fields);
  if (!parsed.success) throw new SpecError({ kind: name, ...optionProblem(spec, parsed.error, path) });
  for (const field of Object.keys(fields)) {
    if (Object.hasOwn(kind.options().shape, field)) continue;
    onIgnored?.({ path: pathText([...path, field]), kind: name, reason: 'this option is not known, and is ignored.' });
  }
  return (context) => created(kind, parsed.data, { path, context });
}

function created<Part, Context>(
  kind: PartKind<Part, Context>,
  data: unknown,
  { path, context }: { readonly path: SpecPath; readonly context: Context },
): Part {
  try {
    // The schema of the same kind returned them.
    return kind.create(data as never, context);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    throw problemAt(path, kind.kind, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function problemAt(path: SpecPath, kind: string, reason: string, options?: ErrorOptions): SpecError {
  return new SpecError({ path: pathText(path), kind, reason }, options);
}

/** Returns whether a value is an object with a kind. */
export function isPartSpec(spec: Json | undefined): spec is PartSpec {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return false;
  return Object.hasOwn(spec, 'kind') && typeof (spec as PartSpec).kind === 'string';
}
