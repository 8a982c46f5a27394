const quote = 34;
const backslash = 92;
const space = 32;

/** Escapes raw control characters inside the strings of a JSON text: models send line feeds as they are. */
export function escapeControls(json: string): string {
  let isInString = false;
  let isEscaped = false;
  let from = 0;
  const pieces: string[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString && code < space) {
      pieces.push(json.slice(from, at), `\\u${code.toString(16).padStart(4, '0')}`);
      from = at + 1;
      isEscaped = false;
      continue;
    }
    if (code === quote && !isEscaped) isInString = !isInString;
    isEscaped = isInString && code === backslash && !isEscaped;
  }
  return pieces.length === 0 ? json : pieces.join('') + json.slice(from);
}
