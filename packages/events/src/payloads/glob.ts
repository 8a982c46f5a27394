import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Finds files by name. */
export const GlobAction = defineAction('GlobAction', () => ({
  pattern: z.string().describe('Glob pattern of the paths to find, for instance src/**/*.ts.'),
  path: z.exactOptional(z.string()).describe('Directory to search; without it, the working directory.'),
}));

/** Absolute paths of matching files, newest first; `truncated` if there are more. */
export const GlobObservation = defineObservation('GlobObservation', () => ({
  files: z.array(z.string()),
  pattern: z.string(),
  search_path: z.string(),
  truncated: z.boolean().default(false),
}));
