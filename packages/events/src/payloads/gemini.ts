import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

const filePath = lazy(() => z.string().describe('The path of the file, absolute or in the working directory.'));
const changed = lazy(() => ({
  file_path: z.exactOptional(z.string()),
  is_new_file: z.boolean().default(false),
}));
const contents = lazy(() => ({
  old_content: z.exactOptional(z.string()),
  new_content: z.exactOptional(z.string()),
}));

/** Reads a file by lines. */
export const ReadFileAction = defineAction('ReadFileAction', () => ({
  file_path: filePath(),
  offset: z.exactOptional(z.number().int().nonnegative()).describe('Skip this many lines.'),
  limit: z.exactOptional(z.number().int().positive()).describe('Read at most this many lines.'),
}));

/** Writes a whole file. */
export const WriteFileAction = defineAction('WriteFileAction', () => ({
  file_path: filePath(),
  content: z.string().describe('The whole new text of the file.'),
}));

/** Result of writing a file. */
export const WriteFileObservation = defineObservation('WriteFileObservation', () => ({ ...changed(), ...contents() }));

/** Replaces text in a file. */
export const EditAction = defineAction('EditAction', () => ({
  file_path: filePath(),
  old_string: z.string().describe('The exact text to replace; empty to create the file.'),
  new_string: z.string().describe('The replacement.'),
  expected_replacements: z.number().int().nonnegative().default(1).describe('Expected number of occurrences.'),
}));

/** Result of replacing text. */
export const EditObservation = defineObservation('EditObservation', () => ({
  ...changed(),
  replacements_made: z.number().int().default(0),
  ...contents(),
}));

/** Lists a directory. */
export const ListDirectoryAction = defineAction('ListDirectoryAction', () => ({
  dir_path: z.string().default('.').describe('The directory, absolute or in the working directory.'),
  recursive: z.boolean().default(false).describe('Include the entries one level deeper.'),
}));
