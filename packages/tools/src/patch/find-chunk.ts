import type { Chunk } from './parse-patch.ts';

/** Where a chunk belongs. */
export interface ChunkPlace {
  /** Index of the first line of the chunk. */
  readonly at: number;
  /** 0 when every line was found exactly. */
  readonly fuzz: number;
}

interface Pass {
  readonly fuzz: number;
  readonly plain: (line: string) => string;
}

const passes: readonly Pass[] = [
  { fuzz: 0, plain: (line) => line },
  { fuzz: 1, plain: (line) => line.trimEnd() },
  { fuzz: 100, plain: (line) => line.trim() },
  { fuzz: 1000, plain: (line) => withoutTypography(line.trim()) },
];
const missedEnd = 10_000;

/**
 * Finds the lines a chunk keeps or takes out in `lines`, from index `cursor` on: exactly, then with other blanks at the ends of
 * lines, then with other dashes, quotes and blanks. The anchors of the chunk decide between several places.
 *
 * Returns every place that is left; only one is unambiguous.
 */
export function findChunk(lines: readonly string[], chunk: Chunk, cursor: number): readonly ChunkPlace[] {
  const wanted = chunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text);
  if (wanted.length === 0) return emptyPlaces(lines, chunk, cursor);
  for (const { fuzz, plain } of passes) {
    const found = occurrences(lines.map(plain), wanted.map(plain), cursor);
    if (found.length === 0) continue;
    const end = lines.length - wanted.length;
    if (chunk.isAtEnd && found.includes(end)) return [{ at: end, fuzz }];
    const left = found.length === 1 ? found : afterAnchors(lines, { ...chunk, found, cursor });
    return left.map((at) => ({ at, fuzz: fuzz + (chunk.isAtEnd ? missedEnd : 0) }));
  }
  return [];
}

/** A chunk that only puts lines in: at the end, below its anchor, or where the last chunk ended. */
function emptyPlaces(lines: readonly string[], { anchors, isAtEnd }: Chunk, cursor: number): readonly ChunkPlace[] {
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

/** For each place where the anchors are, the next candidate below it; without anchors, all of them. */
function afterAnchors(lines: readonly string[], { anchors, found, cursor }: Candidates): readonly number[] {
  const starts = anchorPositions(lines, anchors, cursor);
  const next = starts.flatMap((start) => found.find((at) => at >= start) ?? []);
  return next.length > 0 ? [...new Set(next)] : found;
}

/** Each index at which the last anchor stands, the ones before it above it in their order. */
function anchorPositions(lines: readonly string[], anchors: readonly string[], cursor: number): readonly number[] {
  for (const { plain } of passes) {
    const text = lines.map(plain);
    const [first, ...rest] = anchors.map(plain);
    if (first === undefined) return [];
    let starts = occurrences(text, [first], cursor);
    for (const anchor of rest) starts = [...new Set(starts.map((at) => text.indexOf(anchor, at + 1)))];
    const left = starts.filter((at) => at >= 0);
    if (left.length > 0) return left;
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
