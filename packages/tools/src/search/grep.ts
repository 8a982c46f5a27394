import { relative } from 'node:path';
import { text } from '@varve/events';
import { GrepAction, GrepObservation } from '@varve/events/payloads';
import type { SharedTool, ToolContext } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { FileSearch, unnamedNote, type FilesFound, type SearchOptions } from './file-search.ts';
import { matchingLines } from './matching-lines.ts';
import { maxGlobChars } from './path-filter.ts';
import type { SearchRoot } from './search-root.ts';
import { wholeLines } from './whole-lines.ts';

/** Input of one call. */
export interface GrepCall {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly include?: string | undefined;
}

type GrepReport = Parameters<typeof GrepObservation.create>[0];

/**
 * Returns the tool that searches the contents of files, newest first, without those excluded by ignore rules, and shows
 * the matching lines.
 *
 * @throws {ToolError} `unusable` when a root is not absolute.
 * @see software-agent-sdk openhands/tools/grep (here lines are shown, not only paths; `truncated` is set only if files
 * are missing)
 */
export function grep(options: SearchOptions = {}): SharedTool<GrepCall> {
  const search = new FileSearch(options);
  return defineBuiltinTool({
    name: 'grep',
    description: `Searches the contents of files for a regular expression (the syntax of ripgrep). Shows the lines that match, of at most ${search.maxFiles} files, the last changed first.

- Case does not matter; begin the pattern with \`(?-i)\` when it does. Escape characters that mean something: \`a\\.b\\(\`.
- \`path\` is a directory or a file. \`include\` limits the search to files: \`*.ts\` by name, \`src/**/*.ts\` by path below \`path\`.
- Files that .gitignore excludes are left out, binary files too, and hidden ones unless \`include\` names them, as in \`.github/**\`.${search.note}`,
    input: GrepAction,
    output: GrepObservation,
    definitionKind: 'GrepTool',
    annotations: { title: 'grep', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    execute: (call, context) => runSearch(search, call, context),
  });
}

async function runSearch(search: FileSearch, call: GrepCall, context: ToolContext): Promise<GrepReport> {
  const root = await search.root(call.path, context);
  const asked = { pattern: call.pattern, ...(call.include !== undefined && { include_pattern: call.include }) };
  const failed = (reason: string): GrepReport => ({
    content: [text(reason)],
    is_error: true,
    matches: [],
    search_path: call.path ?? search.workspace(context),
    ...asked,
  });
  if (typeof root === 'string') return failed(root);
  const problem = patternProblem(call.pattern) ?? includeProblem(call.include);
  if (problem !== undefined) return failed(problem);
  const files = await search.files({
    root,
    include: call.include ?? '',
    args: ['--files-with-matches', '--null', '--ignore-case', `--regexp=${call.pattern}`],
    signal: context.signal,
  });
  if (files.message !== undefined && files.count === 0) return failed(`The search failed: ${files.message}`);
  const names = files.paths.map((path) => relative(root.directory, path));
  const lines = await matchingLines(search, {
    pattern: call.pattern,
    directory: root.directory,
    names,
    signal: context.signal,
  });
  return {
    content: [text(wholeLines(heading(call, root, files), lines, search.maxChars))],
    matches: [...files.paths],
    search_path: root.path,
    truncated: files.isPartial || files.count + files.unnamed > files.paths.length,
    ...asked,
  };
}

/** Maximum length of a regular expression; the system limits the arguments of a program to 128 KiB each. */
const maxPatternChars = 10_000;

/** Returns a message for the model if a regular expression cannot be searched for. */
function patternProblem(pattern: string): string | undefined {
  const invalid = 'Invalid `pattern` parameter: it';
  if (pattern === '') return `${invalid} is empty, so every line would match.`;
  if (pattern.includes('\0')) return `${invalid} contains a null character, which no text file contains.`;
  return pattern.length > maxPatternChars ? `${invalid} is longer than ${maxPatternChars} characters.` : undefined;
}

function includeProblem(include = ''): string | undefined {
  return include.length > maxGlobChars
    ? `Invalid \`include\` parameter: it is longer than ${maxGlobChars} characters.`
    : undefined;
}

function heading({ pattern, include }: GrepCall, root: SearchRoot, files: FilesFound): string {
  const { count, paths, isPartial } = files;
  const unnamed = unnamedNote(files);
  const where = `${root.path}${include === undefined ? '' : `, of those that match ${include}`}`;
  if (count === 0)
    return `No file${isPartial ? ' so far' : ''} has a line that matches ${pattern} in ${where}${unnamed}.`;
  const some = `${count}${isPartial ? ' or more' : ''} ${count === 1 ? 'file has' : 'files have'}`;
  const part = isPartial || count > paths.length ? `; the ${paths.length} changed last` : '';
  return `${some} lines that match ${pattern} in ${where}${part}${unnamed}:`;
}
