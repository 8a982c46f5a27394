import { turn } from '../contract/turn.ts';
import { findSequence, sequenceOf } from '../files/find-sequence.ts';
import { withoutTypography } from '../files/typography.ts';
import type { Chunk } from './parse-patch.ts';

/** Place in a file that matches a chunk. */
export interface ChunkPlace {
  /** Index of the first line of the chunk. */
  readonly at: number;
  /** Deviation from an exact match; 0 if every line matches exactly. */
  readonly fuzz: number;
}

interface Pass {
  readonly fuzz: number;
  readonly normalize: (line: string) => string;
}

const passes: readonly Pass[] = [
  { fuzz: 0, normalize: (line) => line },
  { fuzz: 1, normalize: (line) => line.trimEnd() },
  { fuzz: 100, normalize: (line) => line.trim() },
  { fuzz: 1000, normalize: (line) => withoutTypography(line.trim()) },
];
const missedEndFuzz = 10_000;

/** Maximum number of lines that the searches for all chunks of a file may read: about a second. */
const maxLinesRead = 5_000_000;
/** Number of lines that are read before other work of the event loop runs. */
const linesInTurn = 100_000;

/** Lines of a file in which chunks are searched, once for each way to normalize them. */
export class ChunkFinder {
  readonly #lines: readonly string[];
  readonly #normalized = new Map<Pass, readonly string[]>();
  readonly #signal: AbortSignal;
  #linesRead = 0;
  #readInTurn = 0;

  /** The signal ends a search, which then rejects with its reason. */
  constructor(lines: readonly string[], signal: AbortSignal) {
    this.#lines = lines;
    this.#signal = signal;
  }

  /** True once the searches have read more lines than one patch may; the results are then incomplete. */
  get isExhausted(): boolean {
    return this.#linesRead > maxLinesRead;
  }

  /**
   * Finds the lines that a chunk keeps or removes, from index `cursor`: first exactly, then ignoring blanks at the ends
   * of lines, then ignoring different dashes, quotes and blanks. The anchors of the chunk choose among several places.
   *
   * Returns every remaining place; a chunk is ambiguous if there is more than one.
   */
  async find(chunk: Chunk, cursor: number): Promise<readonly ChunkPlace[]> {
    const wanted = chunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text);
    if (wanted.length === 0) return this.#insertionPlaces(chunk, cursor);
    for (const pass of passes) {
      const places = await this.#occurrences(pass, wanted, cursor);
      if (places.length === 0) continue;
      const { fuzz } = pass;
      const end = this.#lines.length - wanted.length;
      if (chunk.isAtEnd && places.at(-1) === end) return [{ at: end, fuzz }];
      const left = places.length === 1 ? places : await this.#filterByAnchors(chunk.anchors, places, cursor);
      return left.map((at) => ({ at, fuzz: fuzz + (chunk.isAtEnd ? missedEndFuzz : 0) }));
    }
    return [];
  }

  /**
   * Returns the places of a chunk that only adds lines: the end of the file, below its anchor, or after the last chunk.
   */
  async #insertionPlaces({ anchors, isAtEnd }: Chunk, cursor: number): Promise<readonly ChunkPlace[]> {
    if (isAtEnd) return [{ at: this.#lines.length, fuzz: 0 }];
    if (anchors.length === 0) return [{ at: cursor, fuzz: 0 }];
    const positions = await this.#anchorPositions(anchors, cursor);
    return positions.map((at) => ({ at: at + 1, fuzz: 0 }));
  }

  /** Returns, for each position of the anchors, the next candidate below it; all candidates if there are no anchors. */
  async #filterByAnchors(
    anchors: readonly string[],
    places: readonly number[],
    cursor: number,
  ): Promise<readonly number[]> {
    const next = nextOf(places, await this.#anchorPositions(anchors, cursor));
    return next.length > 0 ? next : places;
  }

  /** Returns the indexes of the last anchor at which the other anchors precede it in order. */
  async #anchorPositions(anchors: readonly string[], cursor: number): Promise<readonly number[]> {
    const [first, ...rest] = anchors;
    if (first === undefined) return [];
    for (const pass of passes) {
      let positions = await this.#occurrences(pass, [first], cursor);
      for (const anchor of rest) {
        if (positions.length === 0) break;
        positions = nextOf(
          await this.#occurrences(pass, [anchor], cursor),
          positions.map((at) => at + 1),
        );
      }
      if (positions.length > 0) return positions;
    }
    return [];
  }

  async #occurrences(pass: Pass, wanted: readonly string[], cursor: number): Promise<readonly number[]> {
    if (this.isExhausted) return [];
    const read = this.#lines.length - cursor + wanted.length;
    this.#linesRead += read;
    this.#readInTurn += read;
    if (this.#readInTurn > linesInTurn) {
      this.#readInTurn = 0;
      await turn(this.#signal);
    }
    let lines = this.#normalized.get(pass);
    if (lines === undefined) this.#normalized.set(pass, (lines = this.#lines.map(pass.normalize)));
    return findSequence(sequenceOf(lines), sequenceOf(wanted.map(pass.normalize)), { from: cursor });
  }
}

/** Returns, for each of the ascending `starts`, the first of the ascending `candidates` that is not below it, once. */
function nextOf(candidates: readonly number[], starts: readonly number[]): readonly number[] {
  const next: number[] = [];
  let index = 0;
  for (const start of starts) {
    while (index < candidates.length && (candidates[index] ?? 0) < start) index += 1;
    const candidate = candidates[index];
    if (candidate !== undefined && candidate !== next.at(-1)) next.push(candidate);
  }
  return next;
}
