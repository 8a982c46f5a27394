import * as z from 'zod';
import { defineAction } from '../define-payload.ts';

/** Opens a URL. */
export const BrowserNavigateAction = defineAction('BrowserNavigateAction', () => ({
  url: z.string().describe('The URL to open.'),
  new_tab: z.boolean().default(false).describe('Open in a new tab.'),
}));
