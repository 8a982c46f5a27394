/** A request body with one long list of items that never change. */
type Body<Key extends string> = Readonly<Record<Key, readonly object[]>>;

/**
 * Writes requests as JSON. An item of the list that was written before is not written again, so that one more step costs what
 * is new in it and not the whole history. Gives the text of `JSON.stringify` with the list last.
 */
export function wireTexts<Key extends string>(list: Key): (request: Body<Key>) => string {
  const known = new WeakMap<object, string>();
  const textOf = (item: object): string => {
    const text = known.get(item) ?? JSON.stringify(item);
    known.set(item, text);
    return text;
  };
  return (request) => {
    const rest = JSON.stringify({ ...request, [list]: undefined }).slice(0, -1);
    return `${rest}${rest === '{' ? '' : ','}"${list}":[${request[list].map(textOf).join(',')}]}`;
  };
}
