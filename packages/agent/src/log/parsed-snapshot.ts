import type { Json } from '@varve/events';

/** Parses the text of a stored snapshot; returns undefined if it is not JSON. */
export function parsedSnapshot(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
