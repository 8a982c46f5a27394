/** Tags of a call in the format of the reference (OpenHands agent SDK 1.43.1), on which several models were trained. */
export const tags = {
  functionOpen: '<function=',
  functionClose: '</function>',
  parameterOpen: '<parameter=',
  parameterClose: '</parameter>',
  wrapperOpen: '<tool_call>',
  wrapperClose: '</tool_call>',
  literalOpen: '<![CDATA[',
  literalClose: ']]>',
  /** Beginning of a tool result; only this package writes it. */
  result: 'EXECUTION RESULT of [',
} as const;

/** Returns whether the text ends inside a tag at `at`, as it does after a stop string or the output limit. */
export function endsWithin(text: string, at: number, tag: string): boolean {
  return text.length - at < tag.length && tag.startsWith(text.slice(at));
}

/** Returns the position of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

/** Returns whether only spaces and tabs precede `at` in its line. */
export function isAtLineStart(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && (text[before - 1] === ' ' || text[before - 1] === '\t')) before -= 1;
  return before === 0 || text[before - 1] === '\n';
}

/** Returns whether only spaces, or the end of a wrapper, follow `at` in its line. */
export function endsLine(text: string, at: number): boolean {
  const rest = /[ \t\r]*(?:\n|$|<\/tool_call>)/y;
  rest.lastIndex = at;
  return rest.test(text);
}

/** An opening tag with a name. */
export interface Opening {
  readonly name: string;
  /** The position after the tag. */
  readonly end: number;
}

/**
 * Models put quotes or spaces around names, and join a parameter's name and value: `<parameter=path=/tmp</parameter>`.
 */
const patterns = {
  function: /<function=\s*["']?([^\s"'<>=]+)["']?\s*>/y,
  parameter: /<parameter=\s*["']?([^\s"'<>=]+)["']?\s*(?:>|=)/y,
} as const;

/** Returns the opening tag of a function or a parameter at exactly this position; undefined without one. */
export function openingAt(kind: keyof typeof patterns, text: string, at: number): Opening | undefined {
  const pattern = new RegExp(patterns[kind]);
  pattern.lastIndex = at;
  const name = pattern.exec(text)?.[1];
  return name === undefined ? undefined : { name, end: pattern.lastIndex };
}
