import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

const command = lazy(() => z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']));

/**
 * Views or changes one file. The tool checks the fields that a command requires, so that the model receives a sentence.
 */
export const FileEditorAction = defineAction('FileEditorAction', () => ({
  command: command().describe('What to do.'),
  path: z.string().describe('Absolute path of a file or directory.'),
  file_text: z.exactOptional(z.string()).describe('For create: the whole text of the new file.'),
  old_str: z.exactOptional(z.string()).describe('For str_replace: text that occurs exactly once in the file.'),
  new_str: z.exactOptional(z.string()).describe('For str_replace and insert: the new text.'),
  insert_line: z
    .exactOptional(z.number().int())
    .describe('For insert: the text goes after this line; 0 is before the first.'),
  view_range: z
    .exactOptional(z.array(z.number().int()))
    .describe('For view of a file: [first, last], counted from 1; last -1 means the end.'),
}));

/** Result of a view or an edit. `prev_exist` is false for create only. */
export const FileEditorObservation = defineObservation('FileEditorObservation', () => ({
  command: command(),
  path: z.exactOptional(z.string()),
  prev_exist: z.boolean().default(true),
  old_content: z.exactOptional(z.string()),
  new_content: z.exactOptional(z.string()),
}));
