export { runCommand, type RunCommandOptions } from './run-command.ts';
export {
  streamCommand,
  type CommandEnd,
  type OnOutput,
  type StreamCommandOptions,
} from '../processes/stream-command.ts';
export type { ProgramSandbox } from '../processes/program-sandbox.ts';
export { fileChunks } from './byte-streams.ts';
export { jail, type Jail } from './jail.ts';
export { putFile } from './put-file.ts';
export { localWorkspace } from './local-workspace.ts';
export { remoteWorkspace, type RemoteWorkspaceOptions } from './remote-workspace.ts';
export type { AgentServerOptions } from './agent-server.ts';
export type { PollOptions } from './remote-command.ts';
export type {
  CancelOptions,
  CommandOptions,
  CommandResult,
  RemoveWorktreeOptions,
  Workspace,
  WorkspaceEntry,
  WorktreeOptions,
} from './workspace.ts';
export { addLocalWorktree } from './worktree.ts';
