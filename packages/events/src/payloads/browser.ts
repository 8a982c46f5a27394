import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineAction } from '../define-payload.ts';

const index = lazy(() =>
  z.number().int().nonnegative().describe('The number of the element in the state of the page.'),
);
const newTab = lazy(() => z.boolean().default(false).describe('Open in a new tab.'));
const tabId = lazy(() => z.string().describe('The id of the tab: four characters, as the list of tabs shows it.'));

/** Opens a URL. */
export const BrowserNavigateAction = defineAction('BrowserNavigateAction', () => ({
  url: z.string().describe('The URL to open.'),
  new_tab: newTab(),
}));

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
