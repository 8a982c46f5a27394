import { patchLines } from './patch-lines.ts';

const named = /^\*\*\*\s*(?:(?:Add|Update|Delete) File|Move to):(.*)$/i;

/**
 * Returns the files that a patch names as it writes them, in order, with every wrapper that {@link applyPatch} accepts.
 * Lines that only may name a file count too. Takes time proportional to the length of the patch.
 */
export function filesOfPatch(patch: string): readonly string[] {
  return patchLines(patch).flatMap((line) => {
    const [, file] = named.exec(line.trim()) ?? [];
    return file === undefined ? [] : [file.trim()];
  });
}
