export {
  BrowserNavigateAction,
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
  BrowserObservation,
} from './browser.ts';
export {
  ReadFileAction,
  ReadFileObservation,
  WriteFileAction,
  WriteFileObservation,
  EditAction,
  EditObservation,
  ListDirectoryAction,
  ListDirectoryObservation,
} from './gemini.ts';
export {
  TaskAction,
  TaskObservation,
  DelegateAction,
  DelegateObservation,
  WorkflowAction,
  WorkflowObservation,
} from './sub-agents.ts';
export { ConsultTomAction, ConsultTomObservation, SleeptimeComputeAction, SleeptimeComputeObservation } from './tom.ts';
