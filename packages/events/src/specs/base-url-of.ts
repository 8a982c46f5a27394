import type { Json } from '../json.ts';

/** Returns the address of the innermost model, which every adapter includes in its spec. */
export function baseUrlOf(spec: Json): string | undefined {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return undefined;
  const { baseUrl, model } = spec as Readonly<Record<string, Json>>;
  if (typeof baseUrl === 'string') return baseUrl;
  return model === undefined ? undefined : baseUrlOf(model);
}
