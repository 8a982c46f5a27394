import { lazy } from '@varve/events';
import * as z from 'zod';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { closeMemory } from '../contract/lifetime.ts';
import type { OwnedTool } from '../contract/tool.ts';
import type { EditorCall } from '../file-editor/editor-commands.ts';
import { fileEditorFields } from '../file-editor/file-editor.ts';
import type { ShellCall } from '../terminal/shell-call.ts';
import { terminalFields } from '../terminal/terminal.ts';
import { maxChars, remoteEditor } from './remote-editor.ts';
import { defaultSeconds, maxOutputChars, remoteShell, type RemoteToolOptions } from './remote-shell.ts';

/** Directory on an agent-server. */
export interface RemotePlace {
  /** URL of the agent-server. */
  readonly server: string;
  /** Absolute path there. */
  readonly directory: string;
}

/** Schema of {@link RemotePlace}. */
export const remotePlace = lazy(() => z.object({ server: z.string(), directory: z.string() }));

/** Returns the terminal of a workspace on an agent-server. */
export function remoteTerminal(options: RemoteToolOptions): OwnedTool<ShellCall> {
  return defineBuiltinTool({
    ...terminalFields,
    description: describeTerminal(options.workspace.directory),
    annotations: { title: 'terminal' },
    execute: remoteShell(options),
    close: closeMemory,
  });
}

/** Returns the editor of text files in a workspace on an agent-server. */
export function remoteFileEditor(options: RemoteToolOptions): OwnedTool<EditorCall> {
  return defineBuiltinTool({
    ...fileEditorFields,
    description: describeEditor(options.workspace.directory),
    annotations: { title: 'file_editor', openWorldHint: false },
    resources: ({ path }) => [`file:${path}`],
    execute: remoteEditor(options),
    close: closeMemory,
  });
}

function describeTerminal(directory: string): string {
  return `Runs a command in a new shell on another machine, whose workspace is ${directory}. The directory persists between calls; variables and functions do not.

- One call may hold several lines; they run as one script, and the exit code is that of the last.
- A command is ended after \`timeout\` seconds, without it after ${defaultSeconds}. It takes no input: \`is_input\` and an empty command are refused.
- Start servers and other long-lived programs in the background, with their output sent to a file: \`server > server.log 2>&1 &\`.
- Output longer than ${maxOutputChars} characters loses its middle.
- \`reset\` starts in the workspace again.`;
}

function describeEditor(directory: string): string {
  return `Shows, creates and edits text files on another machine. Paths are absolute and inside of the workspace there, ${directory}.

- \`view\` shows a text file with line numbers, or the names in a directory. Views longer than ${maxChars} characters lose their middle; use \`view_range\` for the part you need.
- \`create\` writes a new file, with its parent directories; it never overwrites.
- \`str_replace\` replaces \`old_str\` by \`new_str\`. \`old_str\` must match the file exactly, blanks included, and must occur once; take a few lines around it to make it unique. Leave \`new_str\` out to delete.
- \`insert\` puts \`new_str\` after line \`insert_line\`; 0 is the top.
- \`undo_edit\` reverts the last edit this tool made to the file, up to 10 times.`;
}
