/** One line of a chunk: kept, taken out or put in. */
export interface ChunkLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** One place of a file to change. */
export interface Chunk {
  /** Lines that come before the place, outermost first. */
  readonly anchors: readonly string[];
  readonly lines: readonly ChunkLine[];
  /** The place is the end of the file. */
  readonly isAtEnd: boolean;
  /** The line of the patch where the chunk begins, counted from 1. */
  readonly line: number;
}

/** What a patch does to one file. */
export type PatchHunk =
  | { readonly kind: 'add'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly chunks: readonly Chunk[] };
