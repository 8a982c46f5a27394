import * as z from 'zod';
import { lazy } from '../src/lazy.ts';
import { defineAction, defineObservation } from '../src/payloads/index.ts';

export { ConsultTomObservation, SleeptimeComputeObservation } from '../src/payloads/tom.ts';

const index = lazy(() =>
  z.number().int().nonnegative().describe('The number of the element in the state of the page.'),
);
const newTab = lazy(() => z.boolean().default(false).describe('Open in a new tab.'));
const tabId = lazy(() => z.string().describe('The id of the tab: four characters, as the list of tabs shows it.'));

/** Clicks an element. */
export const BrowserClickAction = defineAction('BrowserClickAction', () => ({ index: index(), new_tab: newTab() }));

/** Types text into an element. */
export const BrowserTypeAction = defineAction('BrowserTypeAction', () => ({
  index: index(),
  text: z.string().describe('The text to type.'),
}));

/** Returns the URL, the tabs and the elements of the page. */
export const BrowserGetStateAction = defineAction('BrowserGetStateAction', () => ({
  include_screenshot: z.boolean().default(false).describe('Include a screenshot of the page.'),
}));

/** Returns the page as Markdown. */
export const BrowserGetContentAction = defineAction('BrowserGetContentAction', () => ({
  extract_links: z.boolean().default(false).describe('Include the URLs of links.'),
  start_from_char: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('Skip this many characters, to continue reading.'),
}));

/** Scrolls the page by one screen. */
export const BrowserScrollAction = defineAction('BrowserScrollAction', () => ({
  direction: z.enum(['up', 'down']).default('down').describe('Direction of the scroll.'),
}));

/** Goes back one page. */
export const BrowserGoBackAction = defineAction('BrowserGoBackAction', () => ({}));

/** Lists the open tabs. */
export const BrowserListTabsAction = defineAction('BrowserListTabsAction', () => ({}));

/** Activates another tab. */
export const BrowserSwitchTabAction = defineAction('BrowserSwitchTabAction', () => ({ tab_id: tabId() }));

/** Closes a tab. */
export const BrowserCloseTabAction = defineAction('BrowserCloseTabAction', () => ({ tab_id: tabId() }));

/** Returns the cookies and the storage of the session. */
export const BrowserGetStorageAction = defineAction('BrowserGetStorageAction', () => ({}));

/** Replaces the cookies and the storage of the session. */
export const BrowserSetStorageAction = defineAction('BrowserSetStorageAction', () => ({
  storage_state: z
    .record(z.string(), z.unknown())
    .describe('Cookies, and for each origin its local and session storage.'),
}));

/** Starts recording the session. */
export const BrowserStartRecordingAction = defineAction('BrowserStartRecordingAction', () => ({}));

/** Stops recording the session. */
export const BrowserStopRecordingAction = defineAction('BrowserStopRecordingAction', () => ({}));

/** Part of a file; `lines_shown` contains its first and last line, counted from 1. */
export const ReadFileObservation = defineObservation('ReadFileObservation', () => ({
  file_path: z.string(),
  file_content: z.string().default(''),
  is_truncated: z.boolean().default(false),
  lines_shown: z.exactOptional(z.array(z.number().int())),
  total_lines: z.exactOptional(z.number().int()),
}));

const fileEntry = lazy(() =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    is_directory: z.boolean(),
    size: z.number().int(),
    /** ISO 8601. */
    modified_time: z.string(),
  }),
);

/** Entries of a directory; `is_truncated` if there are more. */
export const ListDirectoryObservation = defineObservation('ListDirectoryObservation', () => ({
  dir_path: z.exactOptional(z.string()),
  entries: z.array(fileEntry()).default([]),
  total_count: z.number().int().default(0),
  is_truncated: z.boolean().default(false),
}));

/** Runs a script that starts sub-agents. */
export const WorkflowAction = defineAction('WorkflowAction', () => ({
  name: z.string().describe('The name of the workflow.'),
  script: z.string().describe('The script.'),
  max_concurrency: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('Maximum number of sub-agents that run concurrently.'),
}));

/** Outcome of a workflow. */
export const WorkflowObservation = defineObservation('WorkflowObservation', () => ({
  name: z.string(),
  status: z.enum(['completed', 'error']),
}));

/** Switches to another model from the next request on. */
export const SwitchLLMAction = defineAction('SwitchLLMAction', () => ({
  profile_name: z.string().describe('The name of the model profile to use from now on.'),
  reason: z.string().describe('Why this profile suits the next steps.'),
}));

/** Model of the following requests. */
export const SwitchLLMObservation = defineObservation('SwitchLLMObservation', () => ({
  profile_name: z.string(),
  reason: z.exactOptional(z.string()),
  active_model: z.exactOptional(z.string()),
}));

/** Asks the agent that models the user for the user's intent. */
export const ConsultTomAction = defineAction('ConsultTomAction', () => ({
  reason: z.string().describe('Reason for the question.'),
  use_user_message: z.boolean().default(true).describe('Ask about the last user message.'),
  custom_query: z.exactOptional(z.string()).describe('Ask this instead.'),
}));

/** Lets the agent that models the user learn from past conversations. */
export const SleeptimeComputeAction = defineAction('SleeptimeComputeAction', () => ({}));

/** Asks a vision model about an image of the user. */
export const VisionInspectAction = defineAction('VisionInspectAction', () => ({
  image_index: z.number().int().nonnegative().describe('Which image of the last user message with images, from 0.'),
  question: z.string().describe('What to find out about the image.'),
  profile_name: z.exactOptional(z.string()).describe('The model profile to ask; without it, the configured one.'),
}));

/** Answer of the vision model. */
export const VisionInspectObservation = defineObservation('VisionInspectObservation', () => ({
  image_index: z.number().int(),
  question: z.string(),
  profile_name: z.exactOptional(z.string()),
  model: z.exactOptional(z.string()),
  base_url: z.exactOptional(z.string()),
  answer: z.exactOptional(z.string()),
}));
