/** A cache that keeps the most recently used values. */
export class Lru<Key, Value> {
  readonly #capacity: number;
  /** Values, the least recently used first. */
  readonly #values = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Returns a value and marks it as used. */
  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#capacity && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: Key): void {
    this.#values.delete(key);
  }
}
