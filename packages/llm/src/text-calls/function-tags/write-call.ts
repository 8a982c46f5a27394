import { unparsedArguments } from '@varve/events/projections';
import { tags } from './tags.ts';

/** What is written of a call. */
interface WritableCall {
  readonly name: string;
  /** JSON of an object, or whatever the model wrote in its place. */
  readonly arguments: string;
}

/** A call as text. Arguments that are no JSON object stand as they are, so that the model sees what it wrote. */
export function writeCall({ name, arguments: json }: WritableCall): string {
  const lines = parameterLines(json) ?? asWritten(json);
  return [`${tags.functionOpen}${name}>`, ...lines, tags.functionClose].join('\n');
}

function asWritten(body: string): readonly string[] {
  const { functionClose } = tags;
  const written = body.trimEnd();
  const inside = written.endsWith(functionClose) ? written.slice(0, -functionClose.length).trimEnd() : body;
  return inside.trim() === '' ? [] : [inside];
}

/** Undefined for what is no JSON object, or nested too deep to be written again. */
function parameterLines(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const fields = Object.entries(value);
    const [[key, only] = []] = fields;
    // The form that the projection of messages gives to what is no object, for providers that would reject it.
    if (fields.length === 1 && key === unparsedArguments && typeof only === 'string') return asWritten(only);
    return fields.map(([name, field]) => `${tags.parameterOpen}${name}>${writeValue(field)}${tags.parameterClose}`);
  } catch {
    return undefined;
  }
}

const needsLiteral = ['</function', '<function', '</parameter', '<parameter', tags.literalOpen];

/**
 * A value between the tags of a parameter: strings as they are, everything else as compact JSON. A value that holds one of
 * our tags stands in CDATA sections; one with line feeds, or with white space at an end, has a line feed on either side.
 */
function writeValue(value: unknown): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  if (needsLiteral.some((tag) => written.includes(tag))) return literal(written);
  return /\n|^\s|\s$/.test(written) ? `\n${written}\n` : written;
}

function literal(written: string): string {
  const { literalOpen, literalClose } = tags;
  const inside = written.replaceAll(literalClose, `]]${literalClose}${literalOpen}>`);
  return `${literalOpen}${inside}${literalClose}`;
}
