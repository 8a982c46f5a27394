import type { WireMessage, WireRequest } from './wire-request.ts';

/**
 * Writes requests as JSON. A message that was written before is not written again, so that one more step costs what is new in
 * it and not the whole history. Gives the text of `JSON.stringify` with `messages` last.
 */
export function wireTexts(): (request: WireRequest) => string {
  const known = new WeakMap<WireMessage, string>();
  const textOf = (message: WireMessage): string => {
    const text = known.get(message) ?? JSON.stringify(message);
    known.set(message, text);
    return text;
  };
  return ({ messages, ...rest }) =>
    `${JSON.stringify(rest).slice(0, -1)},"messages":[${messages.map(textOf).join(',')}]}`;
}
