import { nameLine } from '../files/name-line.ts';

/**
 * Returns a heading and the lines that fit into `maxChars` UTF-16 units; a final line counts the omitted ones. A line
 * feed in the name of a file is shown as `\n`, so that a name cannot look like further lines.
 */
export function wholeLines(heading: string, lines: readonly string[], maxChars: number): string {
  const kept = [heading];
  let room = maxChars - heading.length - 60;
  for (const item of lines) {
    const line = nameLine(item);
    room -= line.length + 1;
    if (room < 0) break;
    kept.push(line);
  }
  const missing = lines.length + 1 - kept.length;
  return missing === 0 ? kept.join('\n') : `${kept.join('\n')}\n[${missing} more lines left out.]`;
}
