/**
 * The text of the first object in a text, when nothing but a code fence stands around it and it is closed where it ends.
 * Undefined for anything else: an object that was cut off must not be mended, because nobody knows what was to come.
 */
export function closedObject(text: string): string | undefined {
  const start = text.indexOf('{');
  if (start < 0 || !/^\s*(?:```\w*\s*)?$/.test(text.slice(0, start))) return undefined;
  const end = endOf(text, start);
  // Surplus closers are a slip; a second object is another call, which was not asked for in the protocol.
  return end !== undefined && /^[\s`}\]);,]*$/.test(text.slice(end)) ? text.slice(start, end) : undefined;
}

/** Where the bracket that opens at `start` is closed; strings of either quote are passed over. */
function endOf(text: string, start: number): number | undefined {
  const open: string[] = [];
  let quote = '';
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote !== '') {
      if (character === '\\') index++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{' || character === '[') open.push(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return undefined;
      if (open.length === 0) return index + 1;
    }
  }
  return undefined;
}
