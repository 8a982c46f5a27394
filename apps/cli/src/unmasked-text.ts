/** Characters without a picture of their own that can hide others: controls, marks of direction, widths of nothing. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a model as a person must see it before allowing it: nothing commands the terminal, and nothing is left out. What
 * would be invisible stands there as its number.
 */
export function unmaskedText(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n') return character;
    if (character === '\t') return '    ';
    return `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}
