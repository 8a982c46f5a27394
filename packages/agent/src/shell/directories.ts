import { limits } from './words/limits.ts';
import { resolved } from './words/paths.ts';

/** Directories to which a script changes. Each may be the one in which a command runs, so their number is limited. */
export class Directories {
  readonly all: Set<string>;
  readonly #starts: readonly string[];
  #current: readonly string[];

  /** Takes the directories other than the workspace in which the script may start. */
  constructor(starts: readonly string[]) {
    this.all = new Set(starts);
    this.#starts = ['.', ...starts];
    this.#current = this.#starts;
  }

  /** Adds a directory, undefined for one that is not known; returns false if there are too many. */
  change(path: string | undefined): boolean {
    const current = path === undefined ? this.#starts : this.#current.map((start) => resolved(start, path));
    const isLimit = this.all.size + current.length > limits.directories;
    this.#current = isLimit ? this.#starts : [...new Set(current)];
    if (isLimit || path === undefined) return current.every((one) => one === '.' || this.all.has(one));
    for (const directory of this.#current) this.all.add(directory);
    return true;
  }
}
