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

/**
 * Finds the lines that a chunk keeps or removes in `lines`, from index `cursor`: first exactly, then ignoring blanks at
 * the ends of lines, then ignoring different dashes, quotes and blanks. The anchors of the chunk choose among several
 * places.
 *
 * Returns every remaining place; a chunk is ambiguous if there is more than one.
 */
export function findChunk(lines: readonly string[], chunk: Chunk, cursor: number): readonly ChunkPlace[] {
  const wanted = chunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text);
  if (wanted.length === 0) return insertionPlaces(lines, chunk, cursor);
  for (const { fuzz, normalize: plain } of passes) {
    const found = occurrences(lines.map(plain), wanted.map(plain), cursor);
    if (found.length === 0) continue;
    const end = lines.length - wanted.length;
    if (chunk.isAtEnd && found.includes(end)) return [{ at: end, fuzz }];
    const left = found.length === 1 ? found : filterByAnchors(lines, { ...chunk, found, cursor });
    return left.map((at) => ({ at, fuzz: fuzz + (chunk.isAtEnd ? missedEndFuzz : 0) }));
  }
  return [];
}

/**
 * Returns the places of a chunk that only adds lines: the end of the file, below its anchor, or after the last chunk.
 */
function insertionPlaces(lines: readonly string[], { anchors, isAtEnd }: Chunk, cursor: number): readonly ChunkPlace[] {
  if (isAtEnd) return [{ at: lines.length, fuzz: 0 }];
  if (anchors.length === 0) return [{ at: cursor, fuzz: 0 }];
  return anchorPositions(lines, anchors, cursor).map((at) => ({ at: at + 1, fuzz: 0 }));
}

interface Candidates {
  readonly anchors: readonly string[];
  /** Ascending. */
  readonly found: readonly number[];
  readonly cursor: number;
}

/** Returns, for each position of the anchors, the next candidate below it; all candidates if there are no anchors. */
function filterByAnchors(lines: readonly string[], { anchors, found, cursor }: Candidates): readonly number[] {
  const starts = anchorPositions(lines, anchors, cursor);
  const next = starts.flatMap((start) => found.find((at) => at >= start) ?? []);
  return next.length > 0 ? [...new Set(next)] : found;
}

/** Returns the indexes of the last anchor at which the other anchors precede it in order. */
function anchorPositions(lines: readonly string[], anchors: readonly string[], cursor: number): readonly number[] {
  for (const { normalize: plain } of passes) {
    const text = lines.map(plain);
    const [first, ...rest] = anchors.map(plain);
    if (first === undefined) return [];
    let starts = occurrences(text, [first], cursor);
    for (const anchor of rest) starts = [...new Set(starts.map((at) => text.indexOf(anchor, at + 1)))];
    const positions = starts.filter((at) => at >= 0);
    if (positions.length > 0) return positions;
  }
  return [];
}

function occurrences(lines: readonly string[], wanted: readonly string[], cursor: number): readonly number[] {
  const found: number[] = [];
  for (let at = cursor; at + wanted.length <= lines.length; at += 1) {
    if (wanted.every((line, index) => lines[at + index] === line)) found.push(at);
  }
  return found;
}

function withoutTypography(line: string): string {
  return line
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, ' ');
}
