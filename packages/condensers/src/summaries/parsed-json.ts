import { parseJson } from '@varve/text';

/** Returns the value of JSON that a model wrote; undefined for other texts. */
export function parsedJson(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text);
}
