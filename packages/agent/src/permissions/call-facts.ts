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
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { hostsIn, wordsIn } from './named-hosts.ts';
import { PathReader, type NamedPath } from './named-paths.ts';
import { mayOpenUnseen, namedIn } from './paths-in-command.ts';
import { shellFacts, type ShellFacts } from './shell-facts.ts';

/** What a call names, for rules. */
export interface CallFacts {
  readonly tool: string;
  /** Commands of a call of the terminal. */
  readonly shell?: ShellFacts;
  /** True for the tools whose calls reach the files that they name, and nothing else. */
  readonly isFileTool: boolean;
  readonly paths: readonly NamedPath[];
  /** Paths through links that the wildcards of the paths may match. */
  readonly links: readonly NamedPath[];
  /** False if the call may use paths that it does not name. */
  readonly hasAllPaths: boolean;
  /** Hosts in addresses, lower case. */
  readonly hosts: readonly string[];
  /** All strings of the call, and the words of its commands as the shell reads them. */
  readonly texts: readonly string[];
  readonly reader: PathReader;
}

/** Maximum number of paths that are resolved for one call. */
const maxPaths = 500;

/** Reads what a call names. */
export function callFacts(call: ProposedCall): CallFacts {
  const { tool, action, workspace = '/' } = call;
  const reader = new PathReader(workspace);
  const texts: string[] = [];
  mapStrings(action, (text) => {
    texts.push(text);
    return text;
  });
  const shared = { tool: tool.name, texts, reader, links: [] };
  if (TerminalAction.is(action)) {
    const shell = shellFacts(action, { ...call, workspace });
    const words = new Map<string, NamedPath>();
    for (const one of shell.commands) {
      if (words.size > maxPaths) break;
      for (const { text, most } of namedIn(one)) words.set(`${most} ${text}`, reader.named(text, most));
    }
    const named = [...words.values()].slice(0, maxPaths);
    const links = named.flatMap((one) => reader.linksOf(one));
    const hasAllPaths = shell.isComplete && words.size <= maxPaths && !shell.commands.some(mayOpenUnseen);
    // A host may be written with quotes, escapes and variables.
    const all = [...texts, ...texts.map((text) => text.replaceAll(/["'\\]/g, '')), ...wordsIn(shell.commands)];
    return { ...shared, texts: all, shell, isFileTool: false, paths: named, links, hasAllPaths, hosts: hostsIn(all) };
  }
  const files = filesOf(action);
  if (!files)
    return {
      ...shared,
      isFileTool: false,
      paths: pathFields(action, reader),
      hasAllPaths: false,
      hosts: hostsIn(texts),
    };
  // The file tools take names as they are: no character is a wildcard.
  const paths = files.map((text) => ({ ...reader.named(text), kind: 'name' as const }));
  return { ...shared, isFileTool: true, paths, hasAllPaths: true, hosts: [] };
}

/** Returns the files of a call of a built-in file tool; undefined for other tools. */
function filesOf(action: ProposedCall['action']): readonly string[] | undefined {
  if (FileEditorAction.is(action) || PlanningFileEditorAction.is(action)) return [action.path];
  if (GrepAction.is(action) || GlobAction.is(action)) return [action.path ?? '.'];
  return ApplyPatchAction.is(action) ? filesOfPatch(action.patch) : undefined;
}

/** Returns the arguments of other tools that are probably paths, by their names. */
function pathFields(action: ProposedCall['action'], reader: PathReader): readonly NamedPath[] {
  const fields = Object.entries({ ...action, ...dataOf(action) });
  return fields.flatMap(([name, value]) =>
    typeof value === 'string' && /(?:path|file|dir|directory|uri)$/i.test(name)
      ? [reader.named(value.replace(/^file:\/\//, ''))]
      : [],
  );
}

function dataOf(action: object): object {
  return 'data' in action && typeof action.data === 'object' && action.data !== null ? action.data : {};
}
