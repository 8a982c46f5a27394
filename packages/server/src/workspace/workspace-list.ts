import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectories, writeAtomically } from '@varve/files';
import { withFileLock } from '@varve/settings';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { RequestError } from '../error.ts';
import { taskQueue } from '@varve/host/kit';

const text = lazy(() => z.string().min(1).max(4096));

/** Workspace of the user's list. @see agent-server 1.43.1 OpenAPI, WorkspaceItem */
export const workspaceItem = lazy(() =>
  z
    .object({
      id: text(),
      name: z.string().min(1).max(256),
      path: text(),
      parentPath: z.string().max(4096).nullable().optional(),
    })
    .openapi('WorkspaceItem'),
);
/** Directory whose subdirectories are offered as workspaces. @see agent-server 1.43.1 OpenAPI, WorkspaceParentItem */
export const workspaceParent = lazy(() =>
  z.object({ id: text(), name: z.string().min(1).max(256), path: text() }).openapi('WorkspaceParentItem'),
);
/** The user's list. @see agent-server 1.43.1 OpenAPI, WorkspacesListResponse */
export const workspaceList = lazy(() =>
  z
    .object({
      workspaces: z.array(workspaceItem()).default([]),
      workspaceParents: z.array(workspaceParent()).default([]),
    })
    .openapi('WorkspacesListResponse'),
);
/** The user's list of workspaces. */
export type WorkspaceList = z.output<ReturnType<typeof workspaceList>>;

/** Maximum number of entries of each kind. */
const most = 10_000;

/** The user's list of workspaces, which front ends offer. It gives no permission. */
export interface Workspaces {
  /** @throws {RequestError} `conflict` from each method if the stored list is damaged. */
  list(): Promise<WorkspaceList>;
  /** Adds entries whose paths the list does not contain; returns the new list. */
  add(entries: Partial<WorkspaceList>): Promise<WorkspaceList>;
  /** Removes the entry with a path; returns false if there is none. */
  remove(kind: keyof WorkspaceList, path: string): Promise<boolean>;
}

/** Reads and writes the list in a file, which only the user can read; undefined keeps the list in memory. */
export function workspaces(file: string | undefined): Workspaces {
  let memory: WorkspaceList = { workspaces: [], workspaceParents: [] };
  const read = async (): Promise<WorkspaceList> => (file === undefined ? memory : readList(file));
  const write = async (list: WorkspaceList): Promise<WorkspaceList> => {
    memory = list;
    if (file === undefined) return list;
    makeDirectories(dirname(file), 0o700);
    await writeAtomically(file, `${JSON.stringify(list, undefined, 2)}\n`, { mode: 0o600 });
    return list;
  };
  // One change at a time, also of several servers with the same data directory.
  const queue = taskQueue();
  const locked = async <Value>(work: () => Promise<Value>): Promise<Value> =>
    file === undefined ? work() : withFileLock(`${file}.lock`, work);
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => queue(() => locked(work));
  return {
    list: read,
    add: (entries) =>
      inTurn(async () => {
        const before = await read();
        return write({
          workspaces: merged(before.workspaces, entries.workspaces),
          workspaceParents: merged(before.workspaceParents, entries.workspaceParents),
        });
      }),
    remove: (kind, path) =>
      inTurn(async () => {
        const before = await read();
        const isKnown = before[kind].some((entry) => entry.path === path);
        if (isKnown) await write({ ...before, [kind]: before[kind].filter((entry) => entry.path !== path) });
        return isKnown;
      }),
  };
}

/** Adds entries by their paths; the first one of a path stays. */
function merged<Entry extends { readonly path: string }>(before: Entry[], added: readonly Entry[] = []): Entry[] {
  const byPath = new Map<string, Entry>();
  for (const entry of [...before, ...added]) if (!byPath.has(entry.path)) byPath.set(entry.path, entry);
  if (byPath.size > most) throw new RequestError('invalid', `The list would have more than ${most} entries.`);
  return [...byPath.values()];
}

async function readList(file: string): Promise<WorkspaceList> {
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return workspaceList().parse(JSON.parse(stored));
  } catch (cause) {
    throw new RequestError('conflict', 'The stored list of workspaces is damaged.', { cause });
  }
}
