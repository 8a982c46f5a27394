/** A list or an object that is being read, and the place of its next value; undefined before the key of a field. */
interface Open {
  readonly into: Record<string, unknown> | unknown[];
  place: string | number | undefined;
}

/**
 * Reads a JSON value while its text arrives, in linear time. A text that is not JSON ends the reading: what came before
 * stays.
 */
export class PartialJson {
  /** What has arrived so far: strings, lists and objects may be incomplete, numbers and words are complete. */
  value: unknown;
  readonly #open: Open[] = [];
  /** The string that is being read, and the escape sequence in it. */
  #string: string | undefined;
  #escape = '';
  /** The number or word that is being read. */
  #word = '';
  #isInvalid = false;

  push(text: string): void {
    for (const char of text) {
      if (this.#isInvalid) return;
      if (this.#string === undefined) this.#structure(char);
      else this.#inString(this.#string, char);
    }
    if (this.#string !== undefined) this.#put(this.#string);
  }

  #inString(before: string, char: string): void {
    if (this.#escape !== '' || char === '\\') {
      this.#escape += char;
      if (this.#escape.length < (this.#escape[1] === 'u' ? 6 : 2)) return;
      this.#string = before + String(this.#parsed(`"${this.#escape}"`));
      this.#escape = '';
    } else if (char === '"') {
      this.#string = undefined;
      this.#end(before);
    } else this.#string = before + char;
  }

  #structure(char: string): void {
    if (/[-+.\w]/.test(char)) {
      this.#word += char;
      return;
    }
    if (this.#word !== '') this.#end(this.#parsed(this.#word));
    this.#word = '';
    if (char === '"') this.#string = '';
    else if (char === '{') this.#start({}, undefined);
    else if (char === '[') this.#start([], 0);
    else if (char === '}' || char === ']') this.#open.pop();
  }

  #start(into: Open['into'], place: Open['place']): void {
    this.#end(into);
    this.#open.push({ into, place });
  }

  /** Stores a value that is complete, or a container that begins, at its place; or takes a string for a key. */
  #end(value: unknown): void {
    this.#put(value);
    const container = this.#open.at(-1);
    if (!container) return;
    if (typeof container.place === 'number') container.place += 1;
    else container.place = container.place === undefined ? String(value) : undefined;
  }

  #put(value: unknown): void {
    const { into, place } = this.#open.at(-1) ?? { into: undefined, place: undefined };
    if (into === undefined) this.value = value;
    else if (place !== undefined)
      Object.defineProperty(into, place, { value, configurable: true, enumerable: true, writable: true });
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#isInvalid = true;
      return undefined;
    }
  }
}
