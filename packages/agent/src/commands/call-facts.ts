import { join, resolve } from 'node:path';
import {
  ApplyPatchAction,
  FileEditorAction,
  GlobAction,
  GrepAction,
  PlanningFileEditorAction,
  TerminalAction,
} from '@varve/events/payloads';
import { mapStrings } from '@varve/text';
import { filesOfPatch } from '@varve/tools';
import { type NamedCall, type ProposedCall } from './proposed-call.ts';
import { maxPathChars, namedPath, type NamedPath } from './named-path.ts';
import { plainCommands, type PlainCommand } from './plain-commands.ts';

/** A command with the directories in which it may run. */
export interface PlacedCommand extends PlainCommand {
  readonly directories: readonly string[];
}

/** What a call names, for rules. */
export interface CallFacts {
  readonly tool: string;
  readonly workspace: string;
  /** Script of a call of the terminal. */
  readonly script?: string;
  /** Commands of a script of plain commands. */
  readonly plain?: readonly PlacedCommand[];
  /** True for a script of the terminal that runs in a sandbox. */
  readonly isSandboxed: boolean;
  /** True for the tools whose calls reach the files that they name, and nothing else. */
  readonly isFileTool: boolean;
  readonly paths: readonly NamedPath[];
  /** All strings of the call. */
  readonly texts: readonly string[];
}

/** Maximum number of paths that are resolved for one call. */
const maxPaths = 500;

/** Maximum number of directories in which a command of a plain script may run: each `cd` can double them. */
const maxPlaces = 8;

/** Reads what a call names. */
export function callFacts(call: NamedCall): CallFacts {
  const { tool, action, workspace = '/' } = call;
  const texts: string[] = [];
  mapStrings(action, (text) => {
    texts.push(text);
    return text;
  });
  const shared = { tool: tool.name, workspace, texts, isFileTool: false, isSandboxed: false };
  if (TerminalAction.is(action)) {
    const plain = action.is_input ? undefined : placedCommands(action.command, call);
    const paths = (plain ?? []).flatMap(pathsOf).slice(0, maxPaths);
    const isSandboxed = tool.sandbox !== undefined;
    return { ...shared, script: action.command, ...(plain && { plain }), paths, isSandboxed };
  }
  const files = filesOf(action);
  if (files) return { ...shared, isFileTool: true, paths: files.map((text) => namedPath(text, workspace)) };
  return { ...shared, paths: pathFields(action).map((text) => namedPath(text, workspace)) };
}

/**
 * Returns the commands of a plain script, each with the directories to which `cd` in front of it may have changed;
 * undefined for another script, and for one with too many such directories.
 */
export function placedCommands(
  script: string,
  { workspace = '/', directories = [] }: Pick<ProposedCall, 'workspace' | 'directories'>,
): readonly PlacedCommand[] | undefined {
  const places = new Set((directories.length > 0 ? directories : ['.']).map((place) => resolve(workspace, place)));
  const placed: PlacedCommand[] = [];
  for (const command of plainCommands(script) ?? []) {
    if (places.size > maxPlaces) return undefined;
    const here = [...places];
    placed.push({ ...command, directories: here });
    const [program, target] = command.words;
    if (program === 'cd' && target !== undefined)
      for (const place of here) places.add(/^~(?:\/|$)/.test(target) ? target : resolve(place, target));
  }
  return placed.length > 0 ? placed : undefined;
}

/** Returns what the words of a command may name: a word, or the value of an option. */
export function pathsOf({ words, writes, reads = [], directories }: PlacedCommand): readonly NamedPath[] {
  const texts = [...words.slice(1), ...writes, ...reads]
    .flatMap((word) => (word.includes('=') ? [word, word.replace(/^[^=]*=/, '')] : [word]))
    .filter((text) => text.length <= maxPathChars);
  return directories.flatMap((directory) => texts.map((text) => namedPath(text, directory)));
}

/** Returns the files of a call of a built-in file tool; undefined for other tools. */
function filesOf(action: ProposedCall['action']): readonly string[] | undefined {
  if (FileEditorAction.is(action) || PlanningFileEditorAction.is(action)) return [action.path];
  if (GlobAction.is(action)) return [action.path ?? '.'];
  if (GrepAction.is(action)) return [action.path ?? '.', join(action.path ?? '.', action.include ?? '.')];
  return ApplyPatchAction.is(action) ? filesOfPatch(action.patch) : undefined;
}

/** Returns the arguments of other tools that are probably paths, by their names. */
function pathFields(action: ProposedCall['action']): readonly string[] {
  return Object.entries({ ...action, ...dataOf(action) }).flatMap(([name, value]) =>
    typeof value === 'string' && /(?:path|file|dir|directory|uri)$/i.test(name)
      ? [value.replace(/^file:\/\//, '')]
      : [],
  );
}

function dataOf(action: object): object {
  return 'data' in action && typeof action.data === 'object' && action.data !== null ? action.data : {};
}
