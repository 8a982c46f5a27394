import {
  BrowserClickAction,
  BrowserTypeAction,
  BrowserGetStateAction,
  BrowserGetContentAction,
  BrowserScrollAction,
  BrowserGoBackAction,
  BrowserListTabsAction,
  BrowserSwitchTabAction,
  BrowserCloseTabAction,
  BrowserGetStorageAction,
  BrowserSetStorageAction,
  BrowserStartRecordingAction,
  BrowserStopRecordingAction,
} from './browser.ts';
import { ListDirectoryObservation, ReadFileObservation } from './gemini.ts';
import { WorkflowAction, WorkflowObservation } from './sub-agents.ts';
import { SwitchLLMAction, SwitchLLMObservation } from './switch-llm.ts';
import { ConsultTomAction, ConsultTomObservation, SleeptimeComputeAction, SleeptimeComputeObservation } from './tom.ts';
import { VisionInspectAction, VisionInspectObservation } from './vision-inspect.ts';

/** Payloads of tools that varve does not have, and that no package imports: logs of the reference contain them. */
export const foreignPayloads = [
  BrowserClickAction,
  BrowserTypeAction,
  BrowserGetStateAction,
  BrowserGetContentAction,
  BrowserScrollAction,
  BrowserGoBackAction,
  BrowserListTabsAction,
  BrowserSwitchTabAction,
  BrowserCloseTabAction,
  BrowserGetStorageAction,
  BrowserSetStorageAction,
  BrowserStartRecordingAction,
  BrowserStopRecordingAction,
  ListDirectoryObservation,
  ReadFileObservation,
  WorkflowAction,
  WorkflowObservation,
  SwitchLLMAction,
  SwitchLLMObservation,
  ConsultTomAction,
  ConsultTomObservation,
  SleeptimeComputeAction,
  SleeptimeComputeObservation,
  VisionInspectAction,
  VisionInspectObservation,
];
