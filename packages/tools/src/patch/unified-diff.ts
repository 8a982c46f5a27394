const fileHeader = /^--- (\S.*)$/;
const nothing = '/dev/null';

/**
 * Returns the lines of a unified diff as a patch in the V4A format, and those of anything else unchanged. The numbers
 * of its hunks are not used, because those of models are unreliable.
 */
export function fromUnifiedDiff(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line, at) => fileHeader.test(line) && lines[at + 1]?.startsWith('+++ '));
  // Lines before it are those of git.
  if (start < 0 || lines.slice(0, start).some((line) => line.startsWith('*** '))) return lines;
  const sections: string[] = [];
  let isNew = false;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    if (fileHeader.test(line) && next.startsWith('+++ ')) {
      const [from, to] = [pathOf(line), pathOf(next)];
      isNew = from === nothing;
      sections.push(...headingOf(from, to));
      at += 1;
      // The lines of a file that is removed are not compared.
      if (to === nothing) at = endOfFile(lines, at + 1) - 1;
    } else if (!isGitLine(line) && !(isNew && line.startsWith('@@'))) sections.push(line);
  }
  return ['*** Begin Patch', ...sections, '*** End Patch'];
}

function headingOf(from: string, to: string): readonly string[] {
  if (from === nothing) return [`*** Add File: ${to}`];
  if (to === nothing) return [`*** Delete File: ${from}`];
  return [`*** Update File: ${from}`, ...(from === to ? [] : [`*** Move to: ${to}`])];
}

/** Returns the path in a header, without the prefix of git and the time that `diff` adds after a tab. */
function pathOf(header: string): string {
  const path = (header.slice(4).split('\t')[0] ?? '').trim();
  return path === nothing ? path : path.replace(/^[ab]\//, '');
}

function endOfFile(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, at) => at >= from && (isGitLine(line) || fileHeader.test(line)));
  return end < 0 ? lines.length : end;
}

function isGitLine(line: string): boolean {
  return /^(diff --git |index [0-9a-f]+\.\.|new file mode |deleted file mode |old mode |new mode |similarity index |rename (from|to) |\\ No newline)/.test(
    line,
  );
}
