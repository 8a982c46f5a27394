import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

const filePath = z.string().describe('The path of the file, absolute or in the working directory.');
const changed = {
  file_path: z.exactOptional(z.string()),
  is_new_file: z.boolean().default(false),
};
const contents = {
  old_content: z.exactOptional(z.string()),
  new_content: z.exactOptional(z.string()),
};

/** Read a file by lines. */
export const ReadFileAction = defineAction('ReadFileAction', {
  file_path: filePath,
  offset: z.exactOptional(z.number().int().nonnegative()).describe('Leave out this many lines.'),
  limit: z.exactOptional(z.number().int().positive()).describe('Read this many lines at most.'),
});

/** A part of a file; `lines_shown` is its first and last line, counted from 1. */
export const ReadFileObservation = defineObservation('ReadFileObservation', {
  file_path: z.string(),
  file_content: z.string().default(''),
  is_truncated: z.boolean().default(false),
  lines_shown: z.exactOptional(z.array(z.number().int())),
  total_lines: z.exactOptional(z.number().int()),
});

/** Write a whole file. */
export const WriteFileAction = defineAction('WriteFileAction', {
  file_path: filePath,
  content: z.string().describe('The whole new text of the file.'),
});

/** What was written. */
export const WriteFileObservation = defineObservation('WriteFileObservation', { ...changed, ...contents });

/** Replace a text in a file. */
export const EditAction = defineAction('EditAction', {
  file_path: filePath,
  old_string: z.string().describe('The exact text to replace; empty to create the file.'),
  new_string: z.string().describe('The text to put there.'),
  expected_replacements: z.number().int().nonnegative().default(1).describe('How often the text occurs.'),
});

/** What was replaced. */
export const EditObservation = defineObservation('EditObservation', {
  ...changed,
  replacements_made: z.number().int().default(0),
  ...contents,
});

/** List a directory. */
export const ListDirectoryAction = defineAction('ListDirectoryAction', {
  dir_path: z.string().default('.').describe('The directory, absolute or in the working directory.'),
  recursive: z.boolean().default(false).describe('Go one level deeper.'),
});

const fileEntry = z.strictObject({
  name: z.string(),
  path: z.string(),
  is_directory: z.boolean(),
  size: z.number().int(),
  /** ISO 8601. */
  modified_time: z.string(),
});

/** What a directory holds; `is_truncated` when it holds more. */
export const ListDirectoryObservation = defineObservation('ListDirectoryObservation', {
  dir_path: z.exactOptional(z.string()),
  entries: z.array(fileEntry).default([]),
  total_count: z.number().int().default(0),
  is_truncated: z.boolean().default(false),
});
