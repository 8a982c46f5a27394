/** Returns a name as one line: a line feed in it is shown as `\n`, so that it cannot look like further lines. */
export function nameLine(name: string): string {
  return name.replaceAll('\n', String.raw`\n`);
}
