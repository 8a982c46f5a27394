import { copyWorkspace, type WorkspaceCopy } from '@varve/tools/workspace';
import type { Session } from '../agent/session.ts';
import { headAfter } from './navigate.ts';
import { planRewind, plannedChanges, restoreFiles, type RewoundFiles } from './rewind-files.ts';

/** Options of `Conversation.copyFiles`. */
export interface CopyFilesOptions {
  /** Id of the event after which the files were so; default the files as they are now. */
  readonly at?: string;
  /** New directory outside of the workspace. Default: next to it, or to its repository, with `name` at its end. */
  readonly place?: string;
  /** Name that no other copy has, such as the beginning of the id of a fork. */
  readonly name: string;
}

/** A copy of a workspace, and what was set back in it. Files that something else changed go back, too. */
export interface CopiedFiles extends WorkspaceCopy, RewoundFiles {}

/** Copies the workspace for `Conversation.copyFiles`. */
export async function copyFiles({ at, ...options }: CopyFilesOptions, session: Session): Promise<CopiedFiles> {
  const { agent, workspace, journal } = session;
  const head = at === undefined ? journal.timeline.head : await headAfter(at, session);
  const isNow = at === undefined;
  // No one has worked in the copy yet, so that no change in it is lost.
  const plan = isNow ? { head, steps: [], gaps: [] } : await planRewind(session, { head, overwrites: () => true });
  const copy = await copyWorkspace(workspace, { ...options, excluded: agent.protectedPaths });
  return { ...plan, ...copy, ...(await restoreFiles(plannedChanges(plan), copy.workspace, session)) };
}
