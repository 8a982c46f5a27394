/** An answer that is not streamed has two pieces, so that it can break off in the middle. */
export function inHalves(json: string): readonly string[] {
  const middle = Math.floor(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}
