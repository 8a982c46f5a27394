type Detail = Readonly<Record<string, unknown>>;

/**
 * Adds pieces of `reasoning_details` to those collected, in place: pieces with the same index and type are one item, whose
 * text grows. The items are opaque signed data and must go back exactly as put together here.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function mergeDetails(collected: Detail[], pieces: readonly Detail[]): void {
  for (const piece of pieces) {
    const at = piece['index'] === undefined ? -1 : collected.findLastIndex((item) => isSame(item, piece));
    const before = collected[at];
    if (before) collected[at] = joined(before, piece);
    else collected.push(piece);
  }
}

function isSame(item: Detail, piece: Detail): boolean {
  return item['index'] === piece['index'] && item['type'] === piece['type'];
}

const growing = new Set(['text', 'summary', 'data']);

function joined(item: Detail, piece: Detail): Detail {
  const entries = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const grown = entries.map(([key, value]) => {
    const before = item[key];
    const isGrowing = growing.has(key) && typeof before === 'string' && typeof value === 'string';
    return [key, isGrowing ? before + value : value];
  });
  return { ...item, ...Object.fromEntries(grown) };
}
