import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { safeText } from '@varve/events/text';

/** Texts of a file before and after an edit. */
interface EditedTexts {
  readonly old_content?: string;
  readonly new_content?: string;
}

/** Unchanged lines around a change. */
const context = 3;

/** Longest file in UTF-16 units of which a difference is shown: finding it takes the square of its changed lines. */
const maxChars = 400_000;

/** Returns the changed lines of an edit with their numbers and context; none if the result has no texts. */
export function editRows({ old_content: before = '', new_content: after }: EditedTexts): readonly string[] {
  if (after === undefined || before.length + after.length > maxChars) return [];
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context });
  const last = Math.max(
    0,
    ...hunks.map(({ newStart, newLines, oldStart, oldLines }) => Math.max(newStart + newLines, oldStart + oldLines)),
  );
  const width = String(last).length;
  return hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [`${' '.repeat(width)} …`]), ...hunkRows(hunk, width)]);
}

function hunkRows({ oldStart, newStart, lines }: StructuredPatchHunk, width: number): readonly string[] {
  let [before, after] = [oldStart, newStart];
  return lines.flatMap((line): readonly string[] => {
    const kind = line.charAt(0);
    if (kind === '\\') return [];
    const number = String(kind === '-' ? before : after).padStart(width);
    if (kind !== '+') before += 1;
    if (kind !== '-') after += 1;
    return [safeText(`${number} ${kind} ${line.slice(1)}`).replaceAll('\t', '    ')];
  });
}

/** Returns the kind of a row: added, removed, or neither. */
export function editKind(row: string): '+' | '-' | ' ' {
  const kind = /^ *\d+ (?<kind>[+-]) /.exec(row)?.groups?.['kind'];
  return kind === '+' || kind === '-' ? kind : ' ';
}
