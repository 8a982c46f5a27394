export { clientTool } from './client-tool.ts';
export { clientToolSpec, type ClientToolSpec } from './client-tool-spec.ts';
export { clientTools } from './client-tools.ts';
