/**
 * Replaces fenced blocks, quoted lines (which do not begin with `>>>` and a name) and inline code with blanks, so that
 * the text keeps its length. Takes time linear in the length of the text.
 */
export function blankOutCode(text: string): string {
  let fence = '';
  return text
    .split('\n')
    .map((line) => {
      const mark = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
      const isFence = fence === '' ? mark !== '' : mark.startsWith(fence) && line.trim() === mark;
      if (isFence) fence = fence === '' ? mark : '';
      if (isFence || fence !== '' || /^ {0,3}>(?!>>\w)/.test(line)) return ' '.repeat(line.length);
      return line.replaceAll(/`[^`]+`/g, (code) => ' '.repeat(code.length));
    })
    .join('\n');
}
