/**
 * What doing a call twice would mean: `read` changes nothing, `idempotent` may be repeated with the same key, `write` must
 * happen at most once.
 */
export type Effect = 'read' | 'idempotent' | 'write';
