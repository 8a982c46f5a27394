/** What the text of a call is made of, in the reference's notation, on which several models were trained. */
export const tags = {
  functionOpen: '<function=',
  functionClose: '</function>',
  parameterOpen: '<parameter=',
  parameterClose: '</parameter>',
  wrapperOpen: '<tool_call>',
  wrapperClose: '</tool_call>',
  literalOpen: '<![CDATA[',
  literalClose: ']]>',
  /** Begins what a tool answered; only we write it. */
  result: 'EXECUTION RESULT of [',
} as const;

/** Whether the text ends within a tag at `at`, as it does when a stop string or the output limit cut it. */
export function endsWithin(text: string, at: number, tag: string): boolean {
  return text.length - at < tag.length && tag.startsWith(text.slice(at));
}

/** The position of the first character at or after `at` that is no white space. */
export function skipSpace(text: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

/** Whether only spaces and tabs stand before `at` in its line. */
export function isAtLineStart(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && (text[before - 1] === ' ' || text[before - 1] === '\t')) before -= 1;
  return before === 0 || text[before - 1] === '\n';
}

/** Whether only spaces, or the end of a wrapper, stand after `at` in its line. */
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

/** Models put quotes or spaces around names, and run a parameter's name and value together: `<parameter=path=/tmp</parameter>`. */
const patterns = {
  function: /<function=\s*["']?([^\s"'<>=]+)["']?\s*>/y,
  parameter: /<parameter=\s*["']?([^\s"'<>=]+)["']?\s*(?:>|=)/y,
} as const;

/** The opening tag of a function or a parameter at exactly this position; undefined when there is none. */
export function openingAt(kind: keyof typeof patterns, text: string, at: number): Opening | undefined {
  const pattern = new RegExp(patterns[kind]);
  pattern.lastIndex = at;
  const name = pattern.exec(text)?.[1];
  return name === undefined ? undefined : { name, end: pattern.lastIndex };
}
