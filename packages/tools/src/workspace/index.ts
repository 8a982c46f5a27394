export { localWorkspace } from './local-workspace.ts';
export type {
  CancelOptions,
  CommandOptions,
  CommandResult,
  RemoveWorktreeOptions,
  Workspace,
  WorkspaceEntry,
  WorktreeOptions,
} from './workspace.ts';
