import { BrowserObservation } from '../src/payloads/browser-observation.ts';
import {
  EditObservation,
  ListDirectoryObservation,
  ReadFileObservation,
  WriteFileObservation,
} from '../src/payloads/gemini.ts';
import { DelegateObservation, WorkflowObservation } from '../src/payloads/sub-agents.ts';
import { TaskObservation } from '../src/payloads/task.ts';
import { ConsultTomObservation, SleeptimeComputeObservation } from '../src/payloads/tom.ts';
import { ApplyPatchObservation } from '../src/payloads/apply-patch.ts';
import { ClientToolObservation } from '../src/payloads/client-tool.ts';
import { FileEditorObservation } from '../src/payloads/file-editor.ts';
import { FinishObservation } from '../src/payloads/finish.ts';
import { GlobObservation } from '../src/payloads/glob.ts';
import { GrepObservation } from '../src/payloads/grep.ts';
import { InvokeSkillObservation } from '../src/payloads/invoke-skill.ts';
import { MCPToolObservation } from '../src/payloads/mcp-tool.ts';
import { PlanningFileEditorObservation } from '../src/payloads/planning-file-editor.ts';
import { SwitchLLMObservation } from '../src/payloads/switch-llm.ts';
import { TaskTrackerObservation } from '../src/payloads/task-tracker.ts';
import { TerminalObservation } from '../src/payloads/terminal.ts';
import { ThinkObservation } from '../src/payloads/think.ts';
import { VisionInspectObservation } from '../src/payloads/vision-inspect.ts';

/** Every payload of an observation: add a line for a new one. */
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
