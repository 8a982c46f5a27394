import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createAtomically, errnoOf, makeDirectories, removeDirectories } from '@varve/files';
import { replaceAtomically } from '../files/replace-file.ts';
import {
  creationReport,
  editReport,
  planEdit,
  success,
  undoReport,
  type CallFields,
  type EditorReport,
  type SnippetOptions,
} from './editor-report.ts';
import type { FileEditorOptions } from './file-editor-options.ts';
import { insertText } from './insert-text.ts';
import { PersistentHistory } from './persistent-history.ts';
import { isRefusal, refuse, refuseExisting, type Refusal, refuseFailure, refuseParameter } from '../files/refusal.ts';
import { type Changed, replaceText } from './replace-text.ts';
import { isChangedSince, recordShown, type ShownFiles } from '../files/shown-files.ts';
import type { Target } from '../files/target.ts';
import { digestOf, readTextFile, type TextFile } from '../files/text-file.ts';
import { viewDirectory } from './view-directory.ts';
import { viewHugeText } from './view-huge-text.ts';
import { isImagePath, viewImage } from './view-image.ts';
import { viewText } from './view-text.ts';

/** Input of one call. */
export interface EditorCall {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert' | 'undo_edit';
  readonly path: string;
  readonly file_text?: string | undefined;
  readonly old_str?: string | undefined;
  readonly new_str?: string | undefined;
  readonly insert_line?: number | undefined;
  readonly view_range?: readonly number[] | undefined;
}

/** What a call may reach. */
export interface CallScope {
  /** A listing opens linked directories inside of these only; undefined: all. */
  readonly roots: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly shownFiles: ShownFiles | undefined;
}

interface EditScope extends CallScope {
  readonly change: (file: TextFile) => Changed | Refusal;
}

type Outcome = Promise<EditorReport | Refusal>;

/** Executes the commands of one editor on checked targets, and owns its undo history. */
export class EditorCommands {
  readonly #history: PersistentHistory;
  readonly #maxFileBytes: number;
  readonly #maxViewChars: number;
  readonly #redactor: FileEditorOptions['redactor'];

  constructor(options: FileEditorOptions) {
    const { maxFileBytes = 10 * 1024 * 1024, maxViewChars = 16_000, historyDir, redactor } = options;
    this.#history = new PersistentHistory(historyDir);
    this.#maxFileBytes = maxFileBytes;
    this.#maxViewChars = maxViewChars;
    this.#redactor = redactor;
  }

  /** Executes a call on its checked target. */
  async perform(call: EditorCall, target: Target, scope: CallScope): Outcome {
    const commands = {
      view: () => this.#view(target, call, scope),
      create: () => this.#create(target, call, scope),
      str_replace: () => this.#replace(target, call, scope),
      insert: () => this.#insert(target, call, scope),
      undo_edit: () => this.#undo(target, call, scope),
    };
    return commands[call.command]();
  }

  /** Masks before lines are numbered, selected or cut: a part of a secret would not be recognized later. */
  readonly #mask = (text: string): string => this.#redactor?.lines.text(text) ?? text;

  get #shown(): SnippetOptions {
    return { maxChars: this.#maxViewChars, mask: this.#mask };
  }

  async #view(target: Target, call: EditorCall, { roots, signal, shownFiles }: CallScope): Outcome {
    const maxChars = this.#maxViewChars;
    const done = callFieldsOf(call);
    if (target.stats?.isDirectory()) {
      if (call.view_range !== undefined)
        return refuseParameter('view_range', call.view_range, 'A directory has no lines; leave it out.');
      const listing = await viewDirectory(target, { maxChars, roots, signal });
      return typeof listing === 'string' ? success(done, listing) : listing;
    }
    if (isImagePath(target.path)) {
      const image = await viewImage(target);
      return isRefusal(image) ? image : success(done, `The image ${target.path}:`, image);
    }
    if ((target.stats?.size ?? 0) > this.#maxFileBytes && call.view_range !== undefined) {
      const redactor = this.#redactor;
      const part = await viewHugeText(target, { range: call.view_range, maxChars, redactor, signal });
      return typeof part === 'string' ? success(done, part) : part;
    }
    const file = await readTextFile(target, this.#maxFileBytes);
    if (isRefusal(file)) return file;
    const mask = this.#mask;
    const view = viewText(file.text, { path: target.path, range: call.view_range, maxChars, mask });
    if (typeof view !== 'string') return view;
    const isChanged = isChangedSince(shownFiles?.get(target.real), file.bytes);
    recordShown(shownFiles, target.real, file.bytes);
    return success(done, isChanged ? `NOTE: ${changedSince(target.path)} ${view}` : view);
  }

  async #create(target: Target, call: EditorCall, { signal, shownFiles }: CallScope): Outcome {
    const { file_text: content } = call;
    if (content === undefined) return missingParameter('file_text', call);
    const bytes = Buffer.from(content);
    let made: readonly string[] = [];
    try {
      made = makeDirectories(dirname(target.real));
      await createAtomically(target.real, bytes, { signal });
    } catch (error) {
      removeDirectories(made);
      if (error === signal.reason) throw error;
      if (errnoOf(error) === 'EEXIST') return refuseExisting(target.path);
      return refuseFailure('Creating', target.path, error);
    }
    recordShown(shownFiles, target.real, bytes);
    await this.#history.push(target.real, { before: undefined, after: digestOf(bytes) });
    return creationReport(callFieldsOf(call), content);
  }

  async #replace(target: Target, call: EditorCall, scope: CallScope): Outcome {
    const { old_str: old, new_str: replacement = '' } = call;
    if (old === undefined) return missingParameter('old_str', call);
    const change = (file: TextFile): Changed | Refusal =>
      replaceText(file, { path: target.path, old, new: replacement });
    return this.#edit(target, call, { ...scope, change });
  }

  async #insert(target: Target, call: EditorCall, scope: CallScope): Outcome {
    const { insert_line: line, new_str: insertion } = call;
    if (line === undefined) return missingParameter('insert_line', call);
    if (insertion === undefined) return missingParameter('new_str', call);
    const shown = scope.shownFiles?.get(target.real) ?? (await this.#history.last(target.real))?.after;
    const change = (file: TextFile): Changed | Refusal =>
      line > 0 && isChangedSince(shown, file.bytes)
        ? refuse(`Nothing was inserted. ${changedSince(target.path)} View it again, and use its new numbers.`)
        : insertText(file, line, insertion);
    return this.#edit(target, call, { ...scope, change });
  }

  async #undo(target: Target, call: EditorCall, { signal, shownFiles }: CallScope): Outcome {
    const { path, real } = target;
    const edit = await this.#history.last(real);
    if (edit === undefined) return refuse(`There is no edit history for ${path} that could be undone.`);
    const file = await readTextFile(target, this.#maxFileBytes);
    if (isRefusal(file)) return file;
    if (digestOf(file.bytes) !== edit.after) {
      return refuse(
        `The file ${path} was changed by something else since the last edit, so that edit cannot be undone.`,
      );
    }
    try {
      signal.throwIfAborted();
      const replacement = { before: file.bytes, previous: target.stats, signal };
      if (edit.before === undefined) await rm(real);
      else if (!(await replaceAtomically(real, { ...replacement, after: edit.before }))) return refuseChanged(path);
    } catch (error) {
      if (error === signal.reason) throw error;
      return refuseFailure('Restoring', path, error);
    }
    recordShown(shownFiles, real, edit.before);
    await this.#history.pop(real);
    return undoReport(callFieldsOf(call), file.text, edit.before, this.#shown);
  }

  async #edit(target: Target, call: EditorCall, { change, signal, shownFiles }: EditScope): Outcome {
    const edit = await planEdit(target.path, await readTextFile(target, this.#maxFileBytes), change);
    if (isRefusal(edit)) return edit;
    const { file, bytes } = edit;
    try {
      const replacement = { before: file.bytes, after: bytes, previous: target.stats, signal };
      if (!(await replaceAtomically(target.real, replacement))) return refuseChanged(target.path);
    } catch (error) {
      if (error === signal.reason) throw error;
      return refuseFailure('Writing', target.path, error);
    }
    recordShown(shownFiles, target.real, bytes);
    await this.#history.push(target.real, { before: file.bytes, after: digestOf(bytes) });
    return editReport(callFieldsOf(call), edit, this.#shown);
  }
}

function callFieldsOf({ command, path }: EditorCall): CallFields {
  return { command, path };
}

function changedSince(path: string): string {
  return `The file ${path} was changed by something else since it was shown.`;
}

function refuseChanged(path: string): Refusal {
  return refuse(`The file ${path} was changed by something else during the edit; view it again.`);
}

/** Returns a refusal of a call without a parameter that its command requires. */
export function missingParameter(parameter: string, { command }: EditorCall): Refusal {
  return refuse(`Parameter \`${parameter}\` is required for command: ${command}.`);
}
