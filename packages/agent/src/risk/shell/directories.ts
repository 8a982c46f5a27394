import { limits } from './limits.ts';
import { resolved } from './paths.ts';

/** Directories to which a script changes. Each may be the one in which a command runs, so their number is limited. */
export class Directories {
  readonly all = new Set<string>();
  #current: string | undefined = '.';

  /** Adds a directory, undefined for one that is not known; returns false if there are too many. */
  change(path: string | undefined): boolean {
    this.#current = path === undefined ? undefined : resolved(this.#current ?? '.', path);
    if (this.#current === undefined || this.all.has(this.#current)) return true;
    if (this.all.size >= limits.directories) {
      this.#current = undefined;
      return false;
    }
    this.all.add(this.#current);
    return true;
  }
}
