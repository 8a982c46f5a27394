import { ToolError } from '../contract/error.ts';
import type { Workspace, WorkspaceEntry } from './workspace.ts';

const kinds: Readonly<Record<string, WorkspaceEntry['kind']>> = { f: 'file', d: 'directory', l: 'link' };

/** Prints each name of the directory, preceded by a letter for its kind and followed by a null character. */
const script = String.raw`
for name in * .[!.]* ..?*; do
  if [ -L "$name" ]; then kind=l
  elif [ -d "$name" ]; then kind=d
  elif [ -f "$name" ]; then kind=f
  elif [ -e "$name" ]; then kind=o
  else continue
  fi
  printf '%s%s\0' "$kind" "$name"
done`;

/** Lists a directory by a shell command, because the server has no route for it. */
export async function listRemotely(
  execute: Workspace['execute'],
  directory: string,
  signal: AbortSignal | undefined,
): Promise<readonly WorkspaceEntry[]> {
  const { exitCode, stdout } = await execute(script, { directory, ...(signal && { signal }) });
  if (exitCode !== 0) throw new ToolError('unusable', `The directory ${directory} could not be listed.`);
  const paths = stdout.split('\0').slice(0, -1);
  return paths
    .map((field): WorkspaceEntry => ({ name: field.slice(1), kind: kinds[field.slice(0, 1)] ?? 'other' }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
