/**
 * Makes the ids of calls unique within a request: the first user of an id keeps it, later ones get a number. Providers
 * reject a request in which two calls share an id, or one has none; logs in the wild hold both.
 */
export function wireIds(): (id: string) => string {
  const used = new Set<string>();
  const rounds = new Map<string, number>();
  return (id) => {
    const base = id === '' ? 'call' : id;
    let round = rounds.get(base) ?? 1;
    let candidate = round === 1 ? base : `${base}_${round}`;
    while (used.has(candidate)) candidate = `${base}_${++round}`;
    rounds.set(base, round + 1);
    used.add(candidate);
    return candidate;
  };
}
