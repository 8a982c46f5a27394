import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Finds files by their contents. */
export const GrepAction = defineAction('GrepAction', () => ({
  pattern: z.string().describe('Regular expression to look for in the contents of files.'),
  path: z.exactOptional(z.string()).describe('Directory to search; without it, the working directory.'),
  include: z.exactOptional(z.string()).describe('Glob pattern: only files whose path matches are searched.'),
}));

/** Paths of files with a match, newest first; `truncated` if there are more. */
export const GrepObservation = defineObservation('GrepObservation', () => ({
  matches: z.array(z.string()),
  pattern: z.string(),
  search_path: z.string(),
  include_pattern: z.exactOptional(z.string()),
  truncated: z.boolean().default(false),
}));
