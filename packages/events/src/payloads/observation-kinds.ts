import { FileEditorObservation } from './file-editor.ts';
import { FinishObservation } from './finish.ts';
import { MCPToolObservation } from './mcp-tool.ts';
import { TaskTrackerObservation } from './task-tracker.ts';
import { TerminalObservation } from './terminal.ts';
import { ThinkObservation } from './think.ts';

/** Every observation payload there is: add a file, then its line here. */
export const observationKinds = [
  FileEditorObservation,
  FinishObservation,
  MCPToolObservation,
  TaskTrackerObservation,
  TerminalObservation,
  ThinkObservation,
] as const;
