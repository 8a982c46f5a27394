export { FileEditorAction, FileEditorObservation } from './file-editor.ts';
export { FinishAction, FinishObservation } from './finish.ts';
export { MCPToolAction, MCPToolObservation } from './mcp-tool.ts';
export { observationKinds } from './observation-kinds.ts';
export { presentObservation } from './present-observation.ts';
export { TaskTrackerAction, TaskTrackerObservation, taskItem, type TaskItem } from './task-tracker.ts';
export { TerminalAction, TerminalObservation, terminalMetadata } from './terminal.ts';
export { ThinkAction, ThinkObservation } from './think.ts';
export {
  defineAction,
  defineObservation,
  type Observation,
  type ObservationDefinition,
  type Payload,
  type PayloadDefinition,
} from '../payload.ts';
