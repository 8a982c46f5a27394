import { definePartKind, type PartKind } from '@varve/events/specs';
import type { Redactor } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { ToolError } from '../contract/error.ts';
import type { Tool } from '../contract/tool.ts';
import { fileEditor } from '../file-editor/file-editor.ts';
import type { FileEditorOptions } from '../file-editor/file-editor-options.ts';
import { planningFileEditor } from '../file-editor/planning-file-editor.ts';
import { finish } from '../finish.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { remoteFileEditor, remotePlace, remoteTerminal } from '../remote/remote-tools.ts';
import { glob } from '../search/glob.ts';
import { grep } from '../search/grep.ts';
import { memory } from '../memory/memory.ts';
import type { MemoryStorage } from '../memory/memory-storage.ts';
import { taskTracker } from '../task-tracker.ts';
import type { TerminalOptions } from '../terminal/terminal-options.ts';
import { terminal } from '../terminal/terminal.ts';
import { think } from '../think.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Context in which the tools of one conversation are created. */
export interface ToolKindContext {
  readonly conversationId: string;
  /** Masks secrets in output, before texts are cut. */
  readonly redactor: Redactor;
}

/** Kind of tool that can be created by its name. A kind may create several tools, or none where they are unusable. */
export type ToolKind = PartKind<readonly Tool[], ToolKindContext>;

/** Options of tools that belong to the application and its machine, by tool. They replace those of a spec. */
export interface ToolSettings {
  readonly terminal?: TerminalOptions;
  readonly fileEditor?: FileEditorOptions;
  /** Directory or store of the tool `memory`, which cannot be made without it; and a scope, as its options have it. */
  readonly memory?: { readonly store: string | MemoryStorage; readonly scope?: string };
}

const count = lazy(() => z.exactOptional(z.int().positive()));
const flag = lazy(() => z.exactOptional(z.boolean()));

/**
 * Options of each tool that a spec may contain: limits of its output and its time. Paths, variables, programs and the
 * directories that a tool may use belong to the application, because a spec may come from another person.
 */
const options = {
  terminal: () =>
    z.object({
      noChangeTimeoutMs: count(),
      maxShells: count(),
      maxOutputChars: count(),
      maxSavedBytes: count(),
      pty: flag(),
    }),
  editor: () => z.object({ maxFileBytes: count(), maxViewChars: count() }),
  patch: () => z.object({ maxFileBytes: count() }),
  memory: () => z.object({ maxEntries: count(), maxEntryBytes: count(), maxBytes: count(), maxViewChars: count() }),
  search: () => z.object({ maxFiles: count(), maxChars: count(), timeoutMs: count() }),
  finish: () => z.object({ responseSchema: z.exactOptional(z.record(z.string(), z.json())) }),
  none: () => z.object({}),
};

/**
 * Returns the tools of this package that can be created by name: a new one is a line here. `settings` returns the
 * options of the application for one conversation. With `open` there are tools that work on an agent-server, in the
 * workspace that it returns.
 */
export function toolKinds(
  settings: (context: ToolKindContext) => ToolSettings = () => ({}),
  open?: () => Workspace,
): readonly ToolKind[] {
  return [
    ...(open ? remoteKinds(open) : []),
    toolKind('terminal', options.terminal, (spec, context) => terminal({ ...spec, ...settings(context).terminal }), [
      'BashTool',
    ]),
    toolKind('file_editor', options.editor, (spec, context) =>
      fileEditor({ ...spec, ...settings(context).fileEditor }),
    ),
    toolKind('planning_file_editor', options.editor, (spec) => planningFileEditor(spec)),
    toolKind('apply_patch', options.patch, (spec) => applyPatch(spec)),
    toolKind('grep', options.search, (spec) => grep(spec)),
    toolKind('glob', options.search, (spec) => glob(spec)),
    toolKind('task_tracker', options.none, () => taskTracker()),
    toolKind('memory', options.memory, (spec, context) => {
      const { memory: place } = settings(context);
      if (!place) throw new ToolError('unusable', 'The tool memory has no place for what it stores.');
      return memory({ ...spec, ...place });
    }),
    toolKind('think', options.none, () => think()),
    toolKind('finish', options.finish, (spec) => finish(spec)),
  ];
}

function remoteKinds(open: () => Workspace): readonly ToolKind[] {
  const tools = {
    remote_terminal: remoteTerminal,
    remote_file_editor: remoteFileEditor,
    remote_grep: grep,
    remote_glob: glob,
  };
  return Object.entries(tools).map(([kind, tool]) =>
    definePartKind({
      kind,
      options: remotePlace,
      create: (_place, { redactor }: ToolKindContext) => [tool({ workspace: open(), redactor })],
    }),
  );
}

/** Names of the tools of each preset, in the order in which the model is offered them. */
export const toolPresets = {
  default: ['terminal', 'file_editor', 'task_tracker', 'think', 'finish'],
  planning: ['glob', 'grep', 'planning_file_editor', 'think', 'finish'],
  react: ['terminal', 'file_editor', 'task_tracker', 'finish'],
  minimal: ['terminal', 'file_editor', 'finish'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Returns the kind of one tool, which the reference also names by its class: `file_editor` is `FileEditorTool`. */
function toolKind<Options extends z.ZodObject>(
  name: string,
  schema: () => Options,
  create: (options: z.output<Options> & { readonly redactor: Redactor }, context: ToolKindContext) => Tool,
  otherNames: readonly string[] = [],
): ToolKind {
  const className = name.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return definePartKind({
    kind: name,
    aliases: [`${className}Tool`, ...otherNames],
    options: schema,
    create: (spec, context: ToolKindContext) => [create({ ...spec, redactor: context.redactor }, context)],
  });
}
