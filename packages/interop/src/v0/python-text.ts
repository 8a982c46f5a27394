/** Returns a JSON value as Python prints it, for the texts that V0 derives from its records and never reads. */
export function pythonText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${quoted(key)}: ${pythonText(inner)}`)
      .join(', ')}}`;
  }
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? JSON.stringify(value) : 'None';
}

const escapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  "'": String.raw`\'`,
};

function quoted(text: string): string {
  // Single quotes need no escape in double quotes.
  if (text.includes("'") && !text.includes('"'))
    return `"${text.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] ?? character)}"`;
  return `'${text.replaceAll(/[\\\n\r\t']/g, (character) => escapes[character] ?? character)}'`;
}
