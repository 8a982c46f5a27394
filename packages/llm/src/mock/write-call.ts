import { tags } from './tags.ts';
import { writeValue } from './write-value.ts';

/** What is written of a call. */
interface WritableCall {
  readonly name: string;
  /** JSON of an object, or whatever the model wrote in its place. */
  readonly arguments: string;
}

/** A call as text. Arguments that are no JSON object stand as they are, so that the model sees what it wrote. */
export function writeCall({ name, arguments: json }: WritableCall): string {
  const lines = parameterLines(json) ?? [json].filter((body) => body.trim() !== '');
  return [`${tags.functionOpen}${name}>`, ...lines, tags.functionClose].join('\n');
}

/** Undefined for what is no JSON object, or nested too deep to be written again. */
function parameterLines(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).map(
      ([name, field]) => `${tags.parameterOpen}${name}>${writeValue(field)}${tags.parameterClose}`,
    );
  } catch {
    return undefined;
  }
}
