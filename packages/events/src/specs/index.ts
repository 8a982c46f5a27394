export { baseUrlOf } from './base-url-of.ts';
export { buildPart, isPartSpec, preparePart } from './build-part.ts';
export { definePartKind, type PartKind, type PartSpec, type Registry, type SpecPath } from './part-kind.ts';
export { describeProblem, optionProblem, SpecError, type SpecProblem } from './spec-problem.ts';
