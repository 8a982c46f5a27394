import { FileEditorAction, FileEditorObservation } from '@varve/events/payloads';
import type { OwnedTool } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { closeMemory } from '../contract/lifetime.ts';
import { inferCommand } from './infer-command.ts';
import { realPathOf } from '../files/real-path.ts';
import type { EditorCall } from './editor-commands.ts';
import { editorHandler } from './editor-handler.ts';
import type { FileEditorOptions } from './file-editor-options.ts';

/** Names and payloads of an editor, wherever its files are. */
export const fileEditorFields = {
  name: 'file_editor',
  aliases: ['str_replace', 'str_replace_editor', 'str_replace_based_edit_tool'],
  input: FileEditorAction,
  output: FileEditorObservation,
  definitionKind: 'FileEditorTool',
  effect: ({ command }: EditorCall) => (command === 'view' ? 'read' : 'write'),
  repairInput: inferCommand,
} as const;

/**
 * Returns the tool that shows and edits text files. Encoding, line ends, byte order mark, mode bits and links are kept;
 * each write replaces the file in one step. The tool stores what it needs to undo its own edits.
 *
 * @throws {ToolError} `unusable` when a root or the directory of the history is not absolute.
 * @see software-agent-sdk openhands/tools/file_editor (here undo of create removes the file, parent directories are
 * created, and a guessed encoding is accepted only if it encodes the text to the same bytes)
 */
export function fileEditor(options: FileEditorOptions = {}): OwnedTool<EditorCall> {
  const work = editorHandler(options);
  return defineBuiltinTool({
    ...fileEditorFields,
    description: describe(options),
    annotations: { title: 'file_editor', openWorldHint: false },
    resources: ({ path }) => [`file:${realPathOf(path)}`],
    execute: work,
    close: closeMemory,
  });
}

function describe({
  maxFileBytes = 10 * 1024 * 1024,
  maxViewChars = 16_000,
  jail = 'workspace',
}: FileEditorOptions): string {
  const where = jail === 'workspace' ? ' Paths must be in the workspace.' : '';
  return `Shows, creates and edits files. State is kept between calls. Paths are absolute.${where}

- \`view\` shows a text file with line numbers, an image, or a directory, two levels deep. Views longer than ${maxViewChars} characters lose their middle; use \`view_range\` for the part you need.
- \`create\` writes a new file, with its parent directories; it never overwrites.
- \`str_replace\` replaces \`old_str\` by \`new_str\`. \`old_str\` must match the file exactly, blanks included, and must occur once; take a few lines around it to make it unique. Leave \`new_str\` out to delete.
- \`insert\` puts \`new_str\` after line \`insert_line\`; 0 is the top.
- \`undo_edit\` reverts the last edit this tool made to the file, up to 10 times.

Text files of up to ${maxFileBytes / 1024 / 1024} MB are supported; of larger ones only a \`view_range\` is shown. Encoding and line ends are kept as they are.`;
}
