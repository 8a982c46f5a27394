/** Where the JSON object ends that begins at `start`, brace included; undefined when it has no end. */
export function jsonEnd(text: string, start: number): number | undefined {
  let depth = 0;
  const sign = /["{}]/g;
  sign.lastIndex = start;
  for (let match = next(sign, text); match !== undefined; match = next(sign, text)) {
    if (match === '{') depth += 1;
    if (match === '}') depth -= 1;
    if (match === '"') skipString(sign, text);
    if (depth === 0) return sign.lastIndex;
  }
  return undefined;
}

function next(sign: RegExp, text: string): string | undefined {
  return sign.exec(text)?.[0];
}

/** Moves behind the quote that ends a string; a string without an end ends the text. */
function skipString(sign: RegExp, text: string): void {
  const inside = /["\\]/g;
  inside.lastIndex = sign.lastIndex;
  for (let match = inside.exec(text); match; match = inside.exec(text)) {
    if (match[0] === '"') {
      sign.lastIndex = inside.lastIndex;
      return;
    }
    inside.lastIndex += 1;
  }
  sign.lastIndex = text.length;
}
