export { openedTool, type CallOptions, type OpenedTool } from './opened-tool.ts';
export { toolContract, type ToolCheck, type ToolSubject } from './tool-contract.ts';
export type { WorkspaceCheck } from './workspace-check.ts';
export { workspaceContract } from './workspace-contract.ts';
