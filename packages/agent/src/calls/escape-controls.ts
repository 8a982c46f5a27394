/** Escapes raw control characters inside the strings of a JSON text: models send line feeds as they are. */
export function escapeControls(json: string): string {
  let isInString = false;
  let isEscaped = false;
  let escaped = '';
  for (const character of json) {
    if (isInString && character < ' ') {
      escaped += `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
      isEscaped = false;
      continue;
    }
    if (character === '"' && !isEscaped) isInString = !isInString;
    isEscaped = isInString && character === '\\' && !isEscaped;
    escaped += character;
  }
  return escaped;
}
