import { shellWord } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import { mutex } from '../contract/mutex.ts';
import type { ToolContext } from '../contract/tool.ts';
import { EditHistory } from '../file-editor/edit-history.ts';
import { missingParameter, type EditorCall } from '../file-editor/editor-commands.ts';
import {
  creationReport,
  editReport,
  planEdit,
  failure,
  success,
  undoReport,
  type EditorReport,
} from '../file-editor/editor-report.ts';
import { insertText } from '../file-editor/insert-text.ts';
import { replaceText, type Changed } from '../file-editor/replace-text.ts';
import { viewText } from '../file-editor/view-text.ts';
import { isRefusal, refuse, refuseExisting, type Refusal } from '../files/refusal.ts';
import { decodeText } from '../files/text-encoding.ts';
import { decodeFile, digestOf, type TextFile } from '../files/text-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RemoteToolOptions } from './remote-shell.ts';

type Outcome = Promise<EditorReport | Refusal>;

/** Maximum length of a view. */
export const maxChars = 16_000;

/**
 * Returns the function that executes the calls of an editor on an agent-server, one after the other. Edits can be
 * undone by this process only, and a change by another program during an edit is lost.
 */
export function remoteEditor(
  options: RemoteToolOptions,
): (call: EditorCall, context: ToolContext) => Promise<EditorReport> {
  const editor = new RemoteEditor(options);
  const inTurn = mutex();
  return (call, { signal }) =>
    inTurn(async () => {
      const outcome = await refused(() => editor.perform(call, signal));
      return isRefusal(outcome) ? failure({ command: call.command, path: call.path }, outcome.refused) : outcome;
    }, signal);
}

/** Returns the result of work; a request that the server rejects is a refusal. */
async function refused<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid-input') return refuse(error.message);
    throw error;
  }
}

/** Executes the commands of one editor, and owns its undo history. */
class RemoteEditor {
  readonly #history = new EditHistory();
  readonly #workspace: Workspace;
  readonly #mask: (text: string) => string;

  constructor({ workspace, redactor }: RemoteToolOptions) {
    this.#workspace = workspace;
    this.#mask = (text) => redactor.lines.text(text);
  }

  async perform(call: EditorCall, signal: AbortSignal): Outcome {
    const { command, path, old_str: old, new_str: added, insert_line: line } = call;
    if (command === 'view') return this.#view(call, signal);
    if (command === 'create') return this.#create(call, signal);
    if (command === 'undo_edit') return this.#undo(call, signal);
    if (command === 'insert') {
      if (line === undefined) return missingParameter('insert_line', call);
      if (added === undefined) return missingParameter('new_str', call);
      return this.#edit(call, signal, (file) => insertText(file, line, added));
    }
    if (old === undefined) return missingParameter('old_str', call);
    return this.#edit(call, signal, (file) => replaceText(file, { path, old, new: added ?? '' }));
  }

  async #view({ command, path, view_range: range }: EditorCall, signal: AbortSignal): Outcome {
    const bytes = await refused(() => this.#workspace.read(path, { signal }));
    if (isRefusal(bytes)) {
      const entries = await refused(() => this.#workspace.list(path, { signal }));
      if ('refused' in entries) return bytes;
      const names = entries.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name));
      return success({ command, path }, this.#mask([`${path} contains:`, ...names].join('\n')));
    }
    const file = await decodeFile(path, bytes);
    if (isRefusal(file)) return file;
    const view = viewText(file.text, { path, range, maxChars, mask: this.#mask });
    return typeof view === 'string' ? success({ command, path }, view) : view;
  }

  async #create(call: EditorCall, signal: AbortSignal): Outcome {
    const { command, path, file_text: content } = call;
    if (content === undefined) return missingParameter('file_text', call);
    if (!isRefusal(await refused(() => this.#workspace.read(path, { signal })))) return refuseExisting(path);
    await this.#workspace.write(path, content, { signal });
    this.#history.push(path, { before: undefined, after: digestOf(Buffer.from(content)) });
    return creationReport({ command, path }, content);
  }

  async #edit(
    { command, path }: EditorCall,
    signal: AbortSignal,
    change: (file: TextFile) => Changed | Refusal,
  ): Outcome {
    const file = await decodeFile(path, await this.#workspace.read(path, { signal }));
    const edit = await planEdit(path, file, change);
    if (isRefusal(edit)) return edit;
    await this.#workspace.write(path, edit.bytes, { signal });
    this.#history.push(path, { before: edit.file.bytes, after: digestOf(edit.bytes) });
    return editReport({ command, path }, edit, { maxChars, mask: this.#mask });
  }

  async #undo({ command, path }: EditorCall, signal: AbortSignal): Outcome {
    const edit = this.#history.last(path);
    if (edit === undefined) return refuse(`There is no edit history for ${path} that could be undone.`);
    const now = await this.#workspace.read(path, { signal });
    if (digestOf(now) !== edit.after)
      return refuse(`The file ${path} was changed by something else since the last edit, so it cannot be undone.`);
    if (edit.before !== undefined) await this.#workspace.write(path, edit.before, { signal });
    else if ((await this.#workspace.execute(`rm -- ${shellWord(path)}`, { signal })).exitCode !== 0)
      return refuse(`The file ${path} could not be removed.`);
    this.#history.pop(path);
    const text = (await decodeText(now))?.text;
    return undoReport({ command, path }, text, edit.before, { maxChars, mask: this.#mask });
  }
}
