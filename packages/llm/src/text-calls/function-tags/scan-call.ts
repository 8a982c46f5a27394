import { openingAt, endsWithin, isAtLineStart, skipSpace, tags } from './tags.ts';
import { scanParameter, type KnownNames, type ScannedValue } from './scan-parameter.ts';

/** A parameter as it was written. */
export interface ScannedParameter {
  readonly name: string;
  readonly text: string;
  readonly isLiteral: boolean;
}

/** A call as it was written. */
export interface ScannedCall {
  readonly name: string;
  readonly parameters: readonly ScannedParameter[];
  /** JSON object of the arguments, when they were not written as parameters. */
  readonly json?: string;
  /** Name of a parameter whose value has no end; the call must not be run. */
  readonly openParameter?: string;
  /** Text between the tags of the function. */
  readonly body: string;
  /** Position at which scanning continues. */
  readonly end: number;
}

const nextTag = /<parameter=|<\/parameter>|<\/function>|<\/tool_call>|<function=/g;

/**
 * Reads the call whose opening tag is at `start`. Returns undefined when the tag is not followed by the body of a call,
 * as in prose that mentions a tag. A call that is not closed ends at the end of the text or at the next call.
 */
export function scanCall(text: string, start: number, knownIn: (tool: string) => KnownNames): ScannedCall | undefined {
  const opening = openingAt('function', text, start);
  if (!opening) return undefined;
  const { name, end: bodyStart } = opening;
  const known = knownIn(name);
  if (!isBody(text, skipSpace(text, bodyStart))) return undefined;
  const parameters: (ScannedParameter & ScannedValue)[] = [];
  const callUntil = (
    stop: number,
    end: number,
    openParameter = uncertainParameter(parameters, text, end),
  ): ScannedCall => ({
    name,
    parameters,
    ...(openParameter !== undefined && { openParameter }),
    body: text.slice(bodyStart, stop).trim(),
    end,
  });
  const openCall = (parameter: string): ScannedCall => callUntil(text.length, text.length, parameter);
  for (let at = skipSpace(text, bodyStart); ; at = skipSpace(text, at)) {
    const parameter = openingAt('parameter', text, at);
    if (parameter) {
      const value = scanParameter(text, parameter, known);
      if (!value) return openCall(parameter.name);
      parameters.push({ name: parameter.name, ...value });
      at = value.end;
      continue;
    }
    // The previous value may have ended too early.
    if (text.startsWith(tags.parameterClose, at)) return openCall(parameters.at(-1)?.name ?? '?');
    if (text.startsWith(tags.functionClose, at)) return callUntil(at, at + tags.functionClose.length);
    if (at === text.length || endsWithin(text, at, tags.functionClose)) return callUntil(at, text.length);
    if (endsWithin(text, at, tags.parameterOpen) || isCutName(text, at)) {
      return openCall(text.slice(at + tags.parameterOpen.length) || '?');
    }
    if (text.startsWith(tags.wrapperClose, at) || text.startsWith(tags.functionOpen, at)) return callUntil(at, at);
    const next = followingTag(text, at);
    if (next === undefined) return callUntil(at, at);
    at = next;
  }
}

/**
 * Returns the name of a parameter whose value was probably ended too early: a closing tag is left over, in a later
 * value or after the call.
 */
function uncertainParameter(
  parameters: readonly (ScannedParameter & ScannedValue)[],
  text: string,
  end: number,
): string | undefined {
  const open = parameters.findIndex(({ isClosed }) => !isClosed);
  const later = open === -1 ? [] : parameters.slice(open + 1);
  if (later.some((each) => !each.isLiteral && each.text.includes(tags.parameterClose))) return parameters[open]?.name;
  const search = /<\/parameter>|<function=/g;
  search.lastIndex = end;
  return search.exec(text)?.[0] === tags.parameterClose ? parameters.at(-1)?.name : undefined;
}

function isBody(text: string, at: number): boolean {
  const { parameterOpen, functionOpen, functionClose, wrapperClose } = tags;
  const starts = [parameterOpen, functionOpen, functionClose, wrapperClose];
  return at === text.length || starts.some((tag) => text.startsWith(tag, at) || endsWithin(text, at, tag));
}

function isCutName(text: string, at: number): boolean {
  return text.startsWith(tags.parameterOpen, at) && !/[>=]/.test(text.slice(at + tags.parameterOpen.length));
}

/**
 * Returns the position of the next tag. Text between parameters is ignored; a new call begins only at the start of a
 * line.
 */
function followingTag(text: string, from: number): number | undefined {
  const search = new RegExp(nextTag);
  search.lastIndex = from + 1;
  for (let match = search.exec(text); match; match = search.exec(text)) {
    if (match[0] !== tags.functionOpen || isAtLineStart(text, match.index)) return match.index;
  }
  return undefined;
}
