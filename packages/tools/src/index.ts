export { defaultTools, type DefaultToolsOptions } from './presets.ts';
export {
  defineBuiltinTool,
  defineTool,
  type BuiltinToolOptions,
  type CustomToolOptions,
} from './contract/define-tool.ts';
export type { Effect } from './contract/tool.ts';
export { ToolError, type ToolErrorCode } from './contract/error.ts';
export type { EditorCall } from './file-editor/editor-commands.ts';
export { fileEditor } from './file-editor/file-editor.ts';
export type { FileEditorOptions } from './file-editor/file-editor-options.ts';
export { planningFileEditor, type PlanningFileEditorOptions } from './file-editor/planning-file-editor.ts';
export { finish, type FinishOptions } from './finish.ts';
export { minimalTools } from './presets.ts';
export { applyPatch } from './patch/apply-patch.ts';
export type { ApplyPatchOptions } from './patch/apply-patch.ts';
export { filesOfPatch } from './patch/files-of-patch.ts';
export { planningTools, type PlanningToolsOptions } from './presets.ts';
export { realPathOf } from './files/real-path.ts';
export { pruneToolFiles } from './prune-tool-files.ts';
export { glob } from './search/glob.ts';
export { grep } from './search/grep.ts';
export type { SearchOptions } from './search/file-search.ts';
export { taskTracker, type TaskTrackerCall, type TaskTrackerOptions } from './task-tracker.ts';
export { namedSecrets } from './terminal/terminal-options.ts';
export type { ShellCall } from './terminal/shell-call.ts';
export { terminal } from './terminal/terminal.ts';
export type { RunningProgram } from './terminal/cleanup/kill-programs.ts';
export type { TerminalOptions } from './terminal/terminal-options.ts';
export { think } from './think.ts';
export type { ToolOutput, Tool, ToolAnnotations } from './contract/tool.ts';
export type { ToolContext, ToolControl } from './contract/tool.ts';
