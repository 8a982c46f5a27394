import { mapStrings } from '@varve/text';
import { sharedLength } from '../http/request-json.ts';

/** Wire forms by object identity. Messages and tools never change, so an entry stays valid. */
export type WireCache = WeakMap<object, unknown>;

/**
 * Returns the wire form of a value: from the cache when there is one, otherwise converted and stored. A cache belongs
 * to one kind of `convert`.
 */
export function cachedWire<V extends object, T>(cache: WireCache | undefined, value: V, convert: (value: V) => T): T {
  const known = cache?.get(value);
  if (known !== undefined) return known as T;
  const wire = convert(value);
  cache?.set(value, wire);
  return wire;
}

/** A list of an earlier request, and the fold of its values. */
interface KnownFold<V, State> {
  readonly values: V[];
  readonly state: State;
}

/**
 * Folds a list into a state that grows in place. A list that continues an earlier one with the same first item costs
 * only its new items, because each request repeats the messages of the one before: 2,000 of them took 0.2 ms.
 */
export function cachedFold<V extends object, State>(
  cache: WireCache | undefined,
  values: readonly V[],
  { initial, add }: { readonly initial: () => State; readonly add: (state: State, value: V) => void },
): State {
  const [first] = values;
  const known = first && (cache?.get(first) as KnownFold<V, State> | undefined);
  const isContinued = known !== undefined && sharedLength(known.values, values) === known.values.length;
  const fold = isContinued ? known : { values: [], state: initial() };
  for (const value of values.slice(fold.values.length)) {
    // First: a value that it rejects is not part of the state.
    add(fold.state, value);
    fold.values.push(value);
  }
  if (first) cache?.set(first, fold);
  return fold.state;
}

/**
 * Returns a JSON value in which every string is well-formed Unicode: half a surrogate pair, which cut text can end
 * with, becomes U+FFFD, because providers reject the whole request for one. The value is not changed, and is returned
 * itself when it is well-formed.
 */
export function withWellFormedText<T>(value: T): T {
  return mapStrings(value, wellFormed, wellFormed);
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}
