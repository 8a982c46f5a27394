import type { JsonLimits } from '@varve/text';

/** Limits of a file of configuration. A file beyond them has no effect: the parser of its comments is recursive. */
export const fileLimits: JsonLimits = { depth: 32, values: 20_000 };
