/** Piece of the text of a skill: text, or a command whose output takes its place. */
export type TextPart = { readonly text: string } | { readonly command: string };

/** Longer lines have no commands: looking for the end of each piece of code would take too long. */
const maxLineLength = 4000;

/**
 * Splits the text of a skill into its commands, written as `!` and a command in back quotes, and the text between them.
 * Fenced blocks and other code in back quotes are text, and an unclosed fence reaches to the end. A backslash before
 * the exclamation mark makes it text.
 *
 * @see software-agent-sdk openhands/sdk/context/skills/execute.py
 */
export function textParts(content: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let fence: string | undefined;
  for (const line of content.split(/(?<=\n)/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined;
    }
    parts.push(...(fence === undefined && mark === undefined ? partsOfLine(line) : [{ text: line }]));
  }
  return parts;
}

/** Returns the commands of a text, in order. */
export function commandsIn(content: string): readonly string[] {
  return textParts(content).flatMap((part) => ('command' in part ? [part.command] : []));
}

function partsOfLine(line: string): readonly TextPart[] {
  if (line.length > maxLineLength) return [{ text: line }];
  const parts: TextPart[] = [];
  // An escape, a command, code in any number of back quotes, or anything else.
  const pattern = /\\!(?=`)|!`([^`\n]+)`(?!`)|(`+)/g;
  let from = 0;
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    const [whole, command, quotes] = match;
    if (command !== undefined) {
      parts.push({ text: line.slice(from, match.index) }, { command });
      from = pattern.lastIndex;
    } else if (quotes === undefined) {
      parts.push({ text: `${line.slice(from, match.index)}!` });
      from = match.index + whole.length;
      pattern.lastIndex = afterCode(line, from);
    } else pattern.lastIndex = afterCode(line, match.index);
  }
  return [...parts, { text: line.slice(from) }];
}

/**
 * Returns the end of the code that starts with the back quotes at `start`, or of these if it does not end. Looks no
 * further than the end: a line may have thousands of pieces.
 */
function afterCode(line: string, start: number): number {
  let opening: string | undefined;
  let end = start;
  for (const { 0: quotes, index } of line.slice(start).matchAll(/`+/g)) {
    if (opening === undefined) end = start + index + quotes.length;
    else if (quotes === opening) return start + index + quotes.length;
    opening ??= quotes;
  }
  return end;
}
