/** Place of a value. */
export type Origin =
  | { readonly kind: 'flag'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  | FileOrigin
  | { readonly kind: 'default' };

/** Place in a file; line and column start at 1 and are absent when the file was written by a program. */
export interface FileOrigin {
  readonly kind: 'file';
  readonly layer: 'user' | 'project' | 'agent-profile' | 'profile';
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/** Describes a place for a person: `--model`, `LLM_MODEL`, `config.json:3:5`, `default`. */
export function describeOrigin(origin: Origin): string {
  if (origin.kind === 'default') return 'default';
  if (origin.kind !== 'file') return origin.name;
  const { path, line, column } = origin;
  return line === undefined ? path : `${path}:${line}:${column}`;
}
