export { toolKinds, toolPresets, type ToolKind, type ToolKindContext, type ToolSettings } from './tool-kinds.ts';
