import { resolve } from 'node:path';
import type { ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { ActionEvent, ObservationEvent } from '@varve/events/kinds';
import {
  ApplyPatchObservation,
  EditAction,
  EditObservation,
  FileEditorAction,
  FileEditorObservation,
  GlobAction,
  GrepAction,
  ListDirectoryAction,
  ReadFileAction,
  TerminalObservation,
  WriteFileAction,
  WriteFileObservation,
  type Observation,
} from '@varve/events/payloads';
import { eventLines } from '@varve/events/text';
import { parseJson } from '@varve/text';
import { blocksOf } from './prompt-content.ts';

const kinds: Readonly<Record<string, ToolKind>> = {
  TerminalAction: 'execute',
  GlobAction: 'search',
  GrepAction: 'search',
  ReadFileAction: 'read',
  ListDirectoryAction: 'read',
  FileEditorAction: 'edit',
  PlanningFileEditorAction: 'edit',
  WriteFileAction: 'edit',
  EditAction: 'edit',
  ApplyPatchAction: 'edit',
  BrowserNavigateAction: 'fetch',
};

/** Returns what an editor shows of a call: title, kind, files and proposed changes. */
export function callParts(event: ActionEvent, workspace: string): ToolCall {
  const quiet: ActionEvent = { ...event, thought: [] };
  const [title] = eventLines(quiet);
  const edit = FileEditorAction.read(event.action);
  const path = pathOf(event);
  const line = edit?.view_range?.[0] ?? edit?.insert_line;
  return {
    toolCallId: event.id,
    title: title?.text ?? event.tool_name,
    name: event.tool_name,
    kind: edit?.command === 'view' ? 'read' : (kinds[event.action?.kind ?? ''] ?? 'other'),
    status: 'pending',
    content: edit ? proposedChange(edit) : [],
    ...(path !== undefined && { locations: [{ path: resolve(workspace, path), ...(line !== undefined && { line }) }] }),
    rawInput: rawInput(event),
  };
}

/** Returns what an editor shows of a result: changes of files, else its text and images, and how a command failed. */
export function resultParts({ observation }: ObservationEvent): Pick<ToolCall, 'status' | 'content' | 'rawOutput'> {
  const diffs = observation.is_error ? [] : changesOf(observation);
  if (diffs.length > 0) return { status: 'completed', content: diffs };
  const content = blocksOf(observation.content).flatMap((block) =>
    block.type === 'text' ? textContent(block.text) : [{ type: 'content' as const, content: block }],
  );
  const exitCode = TerminalObservation.read(observation)?.exit_code ?? 0;
  // A command that still runs has -1.
  if (exitCode <= 0) return { status: observation.is_error ? 'failed' : 'completed', content };
  const end = textContent(`exit status ${exitCode}`);
  return { status: 'failed', content: [...content, ...end], rawOutput: { exit_code: exitCode } };
}

/** Returns a text as content of a call; none for an empty one. */
export function textContent(text: string): ToolCallContent[] {
  return text.trim() === '' ? [] : [{ type: 'content', content: { type: 'text', text } }];
}

function proposedChange(edit: NonNullable<ReturnType<typeof FileEditorAction.read>>): ToolCallContent[] {
  if (edit.command === 'create') return diffOf(edit.path, null, edit.file_text);
  return edit.command === 'str_replace' ? diffOf(edit.path, edit.old_str ?? null, edit.new_str ?? '') : [];
}

function changesOf(observation: Observation): ToolCallContent[] {
  const edit = FileEditorObservation.read(observation);
  if (edit) return edit.command === 'view' ? [] : diffOf(edit.path, edit.old_content ?? null, edit.new_content);
  const file = WriteFileObservation.read(observation) ?? EditObservation.read(observation);
  if (file) return diffOf(file.file_path, file.old_content ?? null, file.new_content);
  const changes = Object.entries(ApplyPatchObservation.read(observation)?.commit?.changes ?? {});
  return changes.flatMap(([path, { old_content: before, new_content: after, move_path: moved }]) =>
    diffOf(moved ?? path, before ?? null, after ?? ''),
  );
}

function diffOf(path: string | undefined, oldText: string | null, newText: string | undefined): ToolCallContent[] {
  return path === undefined || newText === undefined ? [] : [{ type: 'diff', path, oldText, newText }];
}

function pathOf({ action }: ActionEvent): string | undefined {
  const named = FileEditorAction.read(action) ?? GlobAction.read(action) ?? GrepAction.read(action);
  if (named) return named.path;
  const file = ReadFileAction.read(action) ?? WriteFileAction.read(action) ?? EditAction.read(action);
  return file?.file_path ?? ListDirectoryAction.read(action)?.dir_path;
}

/** The arguments are text of a model, which need not be JSON. */
function rawInput({ tool_call: call }: ActionEvent): unknown {
  const data = parseJson(call.arguments);
  return data === undefined ? call.arguments : data;
}
