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
  const fields = parsedObject(json);
  const lines = fields ? Object.entries(fields).map(parameterLine) : [json].filter((body) => body.trim() !== '');
  return [`${tags.functionOpen}${name}>`, ...lines, tags.functionClose].join('\n');
}

function parameterLine([name, value]: readonly [string, unknown]): string {
  return `${tags.parameterOpen}${name}>${writeValue(value)}${tags.parameterClose}`;
}

function parsedObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
