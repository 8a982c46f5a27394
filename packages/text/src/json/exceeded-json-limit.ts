/** Limits of the structure of a JSON text. */
export interface JsonLimits {
  /** Most objects and lists inside of each other. */
  readonly depth: number;
  /** Most values: objects, lists and what is in them. */
  readonly values: number;
}

const quote = 34;
const backslash = 92;

/**
 * Returns the first limit that a JSON text exceeds; undefined if it exceeds none. Reads each character once and
 * allocates nothing, so it may precede a parser: three characters of a list need more than a hundred bytes once parsed.
 */
export function exceededJsonLimit(text: string, { depth, values }: JsonLimits): keyof JsonLimits | undefined {
  // A value needs a comma or a bracket: a shorter text exceeds neither limit.
  if (text.length <= Math.min(depth, values)) return undefined;
  let open = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      // An opening bracket or brace.
      case 91:
      case 123:
        open += 1;
        count += 1;
        if (open > depth) return 'depth';
        break;
      // A comma.
      case 44:
        count += 1;
        break;
      // A closing bracket or brace.
      case 93:
      case 125:
        open -= 1;
    }
    if (count > values) return 'values';
  }
  return undefined;
}

/** Returns the index of the closing quote of the string that starts at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
