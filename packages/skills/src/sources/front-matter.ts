import { SourceError } from './read-source.ts';

/** Parts of a Markdown file. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Returns the line of a field in the file, from 1; the first line for a field that is not there. */
  readonly lineOf: (field: string) => number;
}

/** Longest YAML that is parsed, in characters: the parser needs 0.1 s for as many mistakes. */
const maxLength = 16 * 1024;

/**
 * Splits a Markdown file into its YAML front matter and its body; a file without front matter is all body. YAML 1.2
 * without custom tags; aliases are limited, and so is the size.
 *
 * @throws {SourceError} with the line in the file, for invalid YAML, keys that occur twice and fields that are not a
 * map.
 */
export async function splitFrontMatter(text: string): Promise<FrontMatter> {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!/^---[ \t]*\n/.test(whole)) return { fields: {}, body: whole.trim(), lineOf: () => 1 };
  const rest = whole.slice(whole.indexOf('\n') + 1);
  const end = /^---[ \t]*$/m.exec(rest);
  if (!end) throw new SourceError('The front matter does not end.', 1);
  if (end.index > maxLength) throw new SourceError(`The front matter is longer than ${maxLength} characters.`, 1);
  const yaml = rest.slice(0, end.index);
  const lines = yaml.split('\n');
  return {
    fields: await parseFields(withQuotedGlobs(yaml)),
    body: rest.slice(end.index + end[0].length).trim(),
    lineOf: (field) => lines.findIndex((line) => line.split(':')[0]?.replaceAll(/["'\s]/g, '') === field) + 2,
  };
}

async function parseFields(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  const fields = await parse(yaml);
  if (fields === null || fields === undefined) return {};
  if (typeof fields !== 'object' || Array.isArray(fields)) throw new SourceError('The front matter is not a map.', 2);
  return fields as Readonly<Record<string, unknown>>;
}

const remedy = 'A text with a colon, a quote or a bracket needs quotes around it, and each field a line of its own.';

async function parse(yaml: string): Promise<unknown> {
  // Most workspaces have no such file, and the package has 72 modules.
  const { LineCounter, parseDocument } = await import('yaml');
  try {
    const lines = new LineCounter();
    // Describing the place of each error takes longer than all else.
    const options = { prettyErrors: false, schema: 'core', customTags: null, stringKeys: true } as const;
    const asked = parseDocument(yaml, { lineCounter: lines, ...options });
    const [error] = asked.errors;
    const isYaml = (line: string): boolean => parseDocument(line, options).errors.length === 0;
    const repaired = error && parseDocument(withQuotes(yaml, isYaml), options);
    const document = repaired?.errors.length === 0 ? repaired : asked;
    // The first line of the file is the mark before the YAML.
    if (error && document === asked) {
      const message = `The front matter is not valid YAML: ${error.message.replace(/\.$/, '')}. ${remedy}`;
      throw new SourceError(message, lines.linePos(error.pos[0]).line + 1);
    }
    // Aliases of aliases could make a small text large.
    return document.toJS({ maxAliasCount: 10 });
  } catch (error) {
    if (error instanceof ReferenceError) throw new SourceError('The front matter has too many aliases.', 2);
    if (error instanceof RangeError) throw new SourceError('The front matter is nested too deeply.', 2);
    throw error;
  }
}

/** Quotes values that begin with an asterisk, which is an alias in YAML and text for other agents. */
function withQuotedGlobs(yaml: string): string {
  // Aliases need an anchor.
  if (/[:\s]&\S/.test(yaml)) return yaml;
  return yaml.replaceAll(
    /^([\w-]+):[ \t]+(\*.*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
}

/**
 * Quotes the values of one line that are no YAML, which other agents accept as text: `[file] [line]`, `Use: this`. A
 * bracket that is never closed remains a mistake.
 */
function withQuotes(yaml: string, isYaml: (line: string) => boolean): string {
  return yaml.replaceAll(
    /^([\w-]+):[ \t]+((?![[{][^\]}]*$)[^\s"'].*)$(?!\n[ \t])/gm,
    (line, key: string, value: string) => (isYaml(line) ? line : `${key}: ${JSON.stringify(value.trim())}`),
  );
}
