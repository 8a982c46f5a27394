import { join } from 'node:path';
import type { WorkspaceEntry } from '@varve/tools/workspace';
import { cursorDirectory } from './cursor-rule.ts';
import { listSource, type SourceRoot } from './sources/read-source.ts';

/** File of a skill. */
export interface SkillFile {
  /** Relative to its root. */
  readonly path: string;
  /** A `SKILL.md`, another Markdown file, or a rule of Cursor. */
  readonly format: 'skill' | 'text' | 'cursor-rule';
}

/** Levels of directories that are searched, and the number of directories. */
const maxDepth = 4;
const maxDirectories = 500;

/**
 * Returns the files of skills below a directory, sorted: each `SKILL.md`, in any case, and other Markdown files except
 * a README. Nothing else below the directory of a `SKILL.md` is a skill. In the directory of Cursor only its rules are,
 * which end with `.mdc`. A missing directory has none.
 */
export async function findSkillFiles(root: SourceRoot, directory: string): Promise<readonly SkillFile[]> {
  const listed: SkillFile[] = [];
  const files: SkillFile[] = [];
  const isCursor = directory === cursorDirectory;
  const [format, ending] = isCursor ? (['cursor-rule', '.mdc'] as const) : (['text', '.md'] as const);
  const queue = [{ path: directory, depth: 0 }];
  for (let visited = 0; visited < maxDirectories; visited++) {
    const next = queue.shift();
    if (!next) break;
    const entries = await listSource(root, next.path);
    const skillFile = isCursor ? undefined : entries.find(isSkillFile);
    if (skillFile && next.depth > 0) {
      listed.push({ path: join(next.path, skillFile.name), format: 'skill' });
      continue;
    }
    for (const { name, kind } of entries) {
      const path = join(next.path, name);
      if (kind !== 'directory' && name.toLowerCase().endsWith(ending)) {
        if (!/^(readme|skill)\.md$/i.test(name)) files.push({ path, format });
      } else if (kind !== 'file' && !name.startsWith('.') && next.depth < maxDepth) {
        queue.push({ path, depth: next.depth + 1 });
      }
    }
  }
  return [...listed, ...files];
}

function isSkillFile({ name, kind }: WorkspaceEntry): boolean {
  return name.toLowerCase() === 'skill.md' && kind !== 'directory';
}
