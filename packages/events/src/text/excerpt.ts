/** Longest line of an excerpt, in UTF-16 units. */
const maxLineLength = 160;

/**
 * Returns the first and last lines of an output. `wholeIn` is the directory of the whole output if the text was cut;
 * its file is the one that the text names.
 */
export function outputExcerpt(output: string, wholeIn?: string): string {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= 12) return lines.map(shortened).join('\n');
  // The text of a cut output does not contain all of its lines, so they cannot be counted.
  const gap = wholeIn ? `… more in ${fileIn(wholeIn, output) ?? wholeIn} …` : `… ${lines.length - 10} lines …`;
  return [...lines.slice(0, 4), gap, ...lines.slice(-6)].map(shortened).join('\n');
}

/** Returns the path of a file in a directory that a text names, such as the notice of a cut output. */
function fileIn(directory: string, text: string): string | undefined {
  const start = text.lastIndexOf(`${directory}/`);
  const name = start < 0 ? undefined : /^[\w.-]+/.exec(text.slice(start + directory.length + 1))?.[0];
  return name === undefined ? undefined : `${directory}/${name}`;
}

/** Returns the first `count` lines of a text, with an ellipsis on a line of its own if there are more. */
export function firstLines(value: string, count: number): string {
  const lines = value.trim().split('\n');
  return lines.length <= count ? lines.join('\n') : [...lines.slice(0, count), '…'].join('\n');
}

/** Indents every line of a text by two spaces. */
export function indented(value: string): string {
  return value === '' ? '' : value.replaceAll(/^/gm, '  ');
}

/** Cuts a line to the longest length, with an ellipsis. */
export function shortened(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1)}…`;
}
