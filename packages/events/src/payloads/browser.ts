import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

const index = z.number().int().nonnegative().describe('The number of the element in the state of the page.');
const newTab = z.boolean().default(false).describe('Open in a new tab.');
const tabId = z.string().describe('The id of the tab: four characters, as the list of tabs shows it.');

/** Open an address. */
export const BrowserNavigateAction = defineAction('BrowserNavigateAction', {
  url: z.string().describe('The address to open.'),
  new_tab: newTab,
});

/** Click on an element. */
export const BrowserClickAction = defineAction('BrowserClickAction', { index, new_tab: newTab });

/** Type into an element. */
export const BrowserTypeAction = defineAction('BrowserTypeAction', {
  index,
  text: z.string().describe('The text to type.'),
});

/** Tell the address, the tabs and the elements of the page. */
export const BrowserGetStateAction = defineAction('BrowserGetStateAction', {
  include_screenshot: z.boolean().default(false).describe('Add a picture of the page.'),
});

/** Give the page as Markdown. */
export const BrowserGetContentAction = defineAction('BrowserGetContentAction', {
  extract_links: z.boolean().default(false).describe('Keep the addresses of links.'),
  start_from_char: z.number().int().nonnegative().default(0).describe('Leave out this many characters, to read on.'),
});

/** Scroll the page by one screen. */
export const BrowserScrollAction = defineAction('BrowserScrollAction', {
  direction: z.enum(['up', 'down']).default('down').describe('Where to scroll.'),
});

/** Go back one page. */
export const BrowserGoBackAction = defineAction('BrowserGoBackAction', {});

/** List the open tabs. */
export const BrowserListTabsAction = defineAction('BrowserListTabsAction', {});

/** Show another tab. */
export const BrowserSwitchTabAction = defineAction('BrowserSwitchTabAction', { tab_id: tabId });

/** Close a tab. */
export const BrowserCloseTabAction = defineAction('BrowserCloseTabAction', { tab_id: tabId });

/** Give the cookies and the storage of the session. */
export const BrowserGetStorageAction = defineAction('BrowserGetStorageAction', {});

/** Replace the cookies and the storage of the session. */
export const BrowserSetStorageAction = defineAction('BrowserSetStorageAction', {
  storage_state: z
    .record(z.string(), z.unknown())
    .describe('Cookies, and for each origin its local and session storage.'),
});

/** Start to record what happens on pages. */
export const BrowserStartRecordingAction = defineAction('BrowserStartRecordingAction', {});

/** Stop the recording. */
export const BrowserStopRecordingAction = defineAction('BrowserStopRecordingAction', {});

/** What every tool of the browser gives. `screenshot_data` is base64; what was too long is in `full_output_save_dir`. */
export const BrowserObservation = defineObservation(
  'BrowserObservation',
  { screenshot_data: z.exactOptional(z.string()), full_output_save_dir: z.exactOptional(z.string()) },
  ({ content, screenshot_data: data }) =>
    typeof data === 'string' && data !== ''
      ? [...content, { cache_prompt: false, type: 'image', image_urls: [`data:${imageType(data)};base64,${data}`] }]
      : content,
);

/** How the base64 text of an image begins, by its type. */
const base64Prefixes: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

function imageType(base64: string): string {
  return base64Prefixes.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'image/png';
}
