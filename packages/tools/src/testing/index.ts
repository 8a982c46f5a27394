export { openedTool } from './opened-tool.ts';
export { toolContract, type ToolSubject } from './tool-contract.ts';
export { workspaceContract } from './workspace-contract.ts';
