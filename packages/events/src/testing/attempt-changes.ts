/**
 * Tries to change every object, list, map and set in a value: sets, adds and deletes what it can reach. Errors of
 * frozen objects are ignored, so a test shows afterwards that nothing else has changed.
 */
export function attemptChanges(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const children = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
  for (const child of children) attemptChanges(child, seen);
  for (const change of changesOf(value)) {
    try {
      change();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

function changesOf(value: object): readonly (() => unknown)[] {
  if (value instanceof Map) return [() => value.set('changed', 'changed'), () => value.clear()];
  if (value instanceof Set) return [() => value.add('changed'), () => value.clear()];
  const keys = Object.keys(value);
  return [
    () => Reflect.set(value, 'changed', 'changed'),
    ...keys.map((key) => () => Reflect.set(value, key, 'changed')),
    ...(Array.isArray(value) ? [() => value.splice(0)] : keys.map((key) => () => Reflect.deleteProperty(value, key))),
  ];
}
