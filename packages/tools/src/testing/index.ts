export { toolContract } from './tool-contract.ts';
export { workspaceContract } from './workspace-contract.ts';
