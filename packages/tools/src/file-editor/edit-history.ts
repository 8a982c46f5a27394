/** Change of one file. */
export interface Edit {
  /** Content before the edit; undefined when the edit created the file. */
  readonly before: Buffer | undefined;
  /** Digest of the bytes that the edit wrote. */
  readonly after: string;
}

const maxEditsPerFile = 10;
const maxEdits = 1000;
const maxTotalBytes = 64 * 1024 * 1024;

/**
 * Edits that can be undone: the newest ten of each file, at most 1 000 edits and 64 MiB in total; the oldest are
 * dropped.
 */
export class EditHistory {
  #edits: { readonly path: string; readonly edit: Edit }[] = [];
  #bytes = 0;

  /** All edits that can be undone, the oldest first. */
  get all(): readonly { readonly path: string; readonly edit: Edit }[] {
    return this.#edits;
  }

  push(path: string, edit: Edit): void {
    this.#edits.push({ path, edit });
    this.#bytes += sizeOf(edit);
    const same = this.#edits.filter((entry) => entry.path === path);
    if (same.length > maxEditsPerFile) this.#remove(same[0]);
    while (this.#edits.length > maxEdits || (this.#bytes > maxTotalBytes && this.#edits.length > 1))
      this.#remove(this.#edits[0]);
  }

  /** Returns the newest edit of a file. */
  last(path: string): Edit | undefined {
    return this.#edits.findLast((entry) => entry.path === path)?.edit;
  }

  /** Removes the newest edit of a file. */
  pop(path: string): void {
    this.#remove(this.#edits.findLast((entry) => entry.path === path));
  }

  #remove(entry: { readonly edit: Edit } | undefined): void {
    if (entry === undefined) return;
    this.#edits = this.#edits.filter((other) => other !== entry);
    this.#bytes -= sizeOf(entry.edit);
  }
}

function sizeOf({ before }: Edit): number {
  return before?.length ?? 0;
}
