import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { text } from '@varve/events';
import { GlobAction, GlobObservation } from '@varve/events/payloads';
import type { SharedTool, ToolContext } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { FileSearch, unnamedNote, type SearchOptions } from './file-search.ts';
import { maxGlobChars } from './path-filter.ts';
import { wholeLines } from './whole-lines.ts';

/** Input of one call. */
export interface GlobCall {
  readonly pattern: string;
  readonly path?: string | undefined;
}

type GlobReport = Parameters<typeof GlobObservation.create>[0];

/**
 * Returns the tool that finds files by name, newest first, without those excluded by ignore rules.
 *
 * @throws {ToolError} `unusable` when a root is not absolute.
 * @see software-agent-sdk openhands/tools/glob (here `truncated` is set only if files are missing; links are not
 * followed)
 */
export function glob(options: SearchOptions = {}): SharedTool<GlobCall> {
  const search = new FileSearch(options);
  return defineBuiltinTool({
    name: 'glob',
    description: `Finds files by name. Returns their absolute paths, the most recently changed first, at most ${search.maxFiles}.

- \`*.ts\` matches names in all directories; \`src/**/*.ts\` matches paths below \`path\`.
- Files that .gitignore excludes are left out, and hidden ones too unless the pattern names them, as in \`.github/**\`.
- To look into files, use grep.${search.note}`,
    input: GlobAction,
    output: GlobObservation,
    definitionKind: 'GlobTool',
    annotations: { title: 'glob', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    execute: (call, context) => runSearch(search, call, context),
  });
}

async function runSearch(search: FileSearch, call: GlobCall, context: ToolContext): Promise<GlobReport> {
  const { base, rest } = splitPattern(call.pattern);
  const path = base ?? call.path;
  const root = await search.root(path, context);
  const failed = (reason: string): GlobReport => ({
    content: [text(reason)],
    is_error: true,
    files: [],
    pattern: call.pattern,
    search_path: path ?? search.workspace(context),
  });
  if (typeof root === 'string') return failed(root);
  if (rest.length > maxGlobChars)
    return failed(`Invalid \`pattern\` parameter: it is longer than ${maxGlobChars} characters.`);
  if (root.entry !== '.') return failed(`Invalid \`path\` parameter: ${root.path}. It is a file, not a directory.`);
  const files = await search.files({
    root,
    include: rest,
    args: ['--files', '--null'],
    signal: context.signal,
  });
  const { paths, count, isPartial, message } = files;
  if (message !== undefined && count === 0) return failed(`The search failed: ${message}`);
  const isTruncated = isPartial || count + files.unnamed > paths.length;
  const head = `${count === 0 ? 'No' : count}${isPartial ? ' or more' : ''} ${count === 1 ? 'file matches' : 'files match'} ${call.pattern} in ${root.path}${isPartial || count > paths.length ? `; the ${paths.length} changed last` : ''}`;
  const list = wholeLines(`${head}${unnamedNote(files)}${count === 0 ? '.' : ':'}`, paths, search.maxChars);
  return {
    content: [text(list)],
    files: [...paths],
    pattern: call.pattern,
    search_path: root.path,
    truncated: isTruncated,
  };
}

/** Splits an absolute pattern into its literal leading directory and the rest. */
function splitPattern(pattern: string): { readonly base?: string; readonly rest: string } {
  const expanded = pattern === '~' || pattern.startsWith('~/') ? join(homedir(), pattern.slice(1)) : pattern;
  if (!isAbsolute(expanded)) return { rest: pattern };
  const names = expanded.split('/');
  const wild = names.findIndex((name) => /[*?[{\\!]/.test(name));
  const end = wild < 0 ? names.length - 1 : wild;
  return { base: names.slice(0, end).join('/') || '/', rest: names.slice(end).join('/') };
}
