export { ApplyPatchAction, ApplyPatchObservation } from './apply-patch.ts';
export { ClientToolObservation } from './client-tool.ts';
export { FileEditorAction, FileEditorObservation } from './file-editor.ts';
export { FinishAction, FinishObservation } from './finish.ts';
export { GlobAction, GlobObservation } from './glob.ts';
export { GrepAction, GrepObservation } from './grep.ts';
export { InvokeSkillAction, InvokeSkillObservation } from './invoke-skill.ts';
export { MCPToolAction, MCPToolObservation } from './mcp-tool.ts';
export { PlanningFileEditorAction, PlanningFileEditorObservation } from './planning-file-editor.ts';
export { presentObservation } from './present-observation.ts';
export { TaskAction, TaskObservation } from './task.ts';
export { TaskTrackerAction, TaskTrackerObservation, type TaskItem } from './task-tracker.ts';
export { TerminalAction, TerminalObservation } from './terminal.ts';
export { ThinkAction, ThinkObservation } from './think.ts';
export {
  defineAction,
  defineObservation,
  type Observation,
  type ObservationDefinition,
  type Payload,
  type PayloadDefinition,
} from '../define-payload.ts';
export { BrowserNavigateAction } from './browser.ts';
export { BrowserObservation } from './browser-observation.ts';
export {
  ReadFileAction,
  WriteFileAction,
  WriteFileObservation,
  EditAction,
  EditObservation,
  ListDirectoryAction,
} from './gemini.ts';
export { DelegateAction, DelegateObservation } from './sub-agents.ts';
