import { BrowserObservation } from './browser-observation.ts';
import { EditObservation, ListDirectoryObservation, ReadFileObservation, WriteFileObservation } from './gemini.ts';
import { DelegateObservation, WorkflowObservation } from './sub-agents.ts';
import { TaskObservation } from './task.ts';
import { ConsultTomObservation, SleeptimeComputeObservation } from './tom.ts';
import { ApplyPatchObservation } from './apply-patch.ts';
import { ClientToolObservation } from './client-tool.ts';
import { FileEditorObservation } from './file-editor.ts';
import { FinishObservation } from './finish.ts';
import { GlobObservation } from './glob.ts';
import { GrepObservation } from './grep.ts';
import { InvokeSkillObservation } from './invoke-skill.ts';
import { MCPToolObservation } from './mcp-tool.ts';
import { PlanningFileEditorObservation } from './planning-file-editor.ts';
import { SwitchLLMObservation } from './switch-llm.ts';
import { TaskTrackerObservation } from './task-tracker.ts';
import { TerminalObservation } from './terminal.ts';
import { ThinkObservation } from './think.ts';
import { VisionInspectObservation } from './vision-inspect.ts';

/** Every payload of an observation. To add one, write its file and add a line here and in `index.ts`. */
export const observationKinds = [
  ApplyPatchObservation,
  BrowserObservation,
  ClientToolObservation,
  ConsultTomObservation,
  DelegateObservation,
  EditObservation,
  FileEditorObservation,
  FinishObservation,
  GlobObservation,
  GrepObservation,
  InvokeSkillObservation,
  ListDirectoryObservation,
  MCPToolObservation,
  PlanningFileEditorObservation,
  ReadFileObservation,
  SleeptimeComputeObservation,
  SwitchLLMObservation,
  TaskObservation,
  TaskTrackerObservation,
  TerminalObservation,
  ThinkObservation,
  VisionInspectObservation,
  WorkflowObservation,
  WriteFileObservation,
] as const;
