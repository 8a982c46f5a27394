import { unparsedArguments } from '@varve/events';
import { tags } from './tags.ts';

/** The parts of a call that are written. */
interface WritableCall {
  readonly name: string;
  /** JSON of an object, or the text that the model wrote instead. */
  readonly arguments: string;
}

/**
 * Writes a call as text. Arguments that are not a JSON object are written unchanged, so that the model sees its own
 * text.
 */
export function writeCall({ name, arguments: json }: WritableCall): string {
  const lines = parameterLines(json) ?? rawBody(json);
  return [`${tags.functionOpen}${name}>`, ...lines, tags.functionClose].join('\n');
}

function rawBody(body: string): readonly string[] {
  const { functionClose } = tags;
  const written = body.trimEnd();
  const inside = written.endsWith(functionClose) ? written.slice(0, -functionClose.length).trimEnd() : body;
  return inside.trim() === '' ? [] : [inside];
}

/** Returns undefined for text that is not a JSON object, or is nested too deep to be serialized. */
function parameterLines(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const fields = Object.entries(value);
    const [[key, only] = []] = fields;
    // The message projection wraps text that is not an object in this form, because providers would reject the text.
    if (fields.length === 1 && key === unparsedArguments && typeof only === 'string') return rawBody(only);
    return fields.map(([name, field]) => `${tags.parameterOpen}${name}>${writeValue(field)}${tags.parameterClose}`);
  } catch {
    return undefined;
  }
}

const needsLiteral = ['</function', '<function', '</parameter', '<parameter', tags.literalOpen];

/**
 * Writes a value for the place between the tags of a parameter: strings unchanged, other values as compact JSON. A
 * value that contains one of the tags is put in CDATA sections; one with line feeds, or with white space at an end,
 * between line feeds.
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
