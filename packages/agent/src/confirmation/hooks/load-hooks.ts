import { join } from 'node:path';
import { gitRoot } from '@varve/files';
import {
  readSource,
  SourceError,
  type SourceProblem,
  type SourceRoot,
  contentDigest,
  fileDigest,
  trustNothing,
  type TrustPredicate,
} from '@varve/skills';
import { pathsInCommand } from './command-paths.ts';
import { isWithoutHooks, mergeHooks, readHooks, type Hook, type HookConfig, type ReadHooks } from './hook-config.ts';

/** Longest text that is parsed again to find a mistake: the parser needs 0.3 s for as many of them. */
const maxLength = 16 * 1024;

/** Options of {@link loadHooks}. */
export interface LoadHooksOptions {
  /** Absolute path; absent, only hooks of the user are loaded, without the files of a workspace that they name. */
  readonly workspace?: string;
  /** Home directory of the user; absent, only hooks of the workspace are loaded. */
  readonly home?: string;
  /** Decides about each file of hooks; default none is trusted. */
  readonly trusted?: TrustPredicate;
}

/** File of hooks. */
export interface HookSource {
  readonly path: string;
  readonly scope: SourceRoot['scope'];
  readonly hooks: HookConfig;
  /**
   * Digests that all have to be trusted: that of the file with the files of the workspace that its commands name, and
   * for a file of the user that of the file alone.
   */
  readonly digests: readonly string[];
  readonly isTrusted: boolean;
}

/** Hooks of a workspace and its user. */
export interface LoadedHooks {
  /** Trusted hooks, those of the user first: an option of `defineAgent`. */
  readonly hooks: HookConfig;
  readonly sources: readonly HookSource[];
  readonly problems: readonly SourceProblem[];
}

const files = ['.varve/hooks.json', '.openhands/hooks.json'];

/**
 * Loads the hooks of the user and of the workspace, or without any there of the git repository around it: in each the
 * first of `.varve/hooks.json` and `.openhands/hooks.json`. Those of the repository run in its root. Only trusted files
 * have an effect. An invalid hook is a problem, and the others of its file count; a file without JSON has no effect.
 *
 * @see software-agent-sdk HookConfig.load (where the file of a repository replaces that of the user)
 */
export async function loadHooks({ workspace, home, trusted = trustNothing }: LoadHooksOptions): Promise<LoadedHooks> {
  const roots: SourceRoot[] = [
    ...(home === undefined ? [] : [{ directory: home, scope: 'user' } as const]),
    ...(workspace === undefined || home === workspace ? [] : [{ directory: workspace, scope: 'project' } as const]),
  ];
  const loadedFiles = await Promise.all(roots.map((root) => loadRoot(root, { workspace, trusted })));
  const around = workspace === undefined ? undefined : await gitRoot(workspace);
  const hasOwn = loadedFiles.some(({ source }) => source?.scope === 'project');
  if (around !== undefined && !hasOwn && around !== workspace && around !== home)
    loadedFiles.push(await loadRoot({ directory: around, scope: 'project' }, { workspace, trusted }));
  const sources = loadedFiles.flatMap(({ source }) => source ?? []);
  const problems = loadedFiles.flatMap((file) => file.problems);
  const hooks = mergeHooks(...sources.filter(({ isTrusted }) => isTrusted).map((source) => source.hooks));
  return { hooks, sources, problems };
}

/** Where commands run, and what is trusted. */
interface LoadContext {
  readonly workspace: string | undefined;
  readonly trusted: TrustPredicate;
}

interface LoadedFile {
  /** Absent for a file without hooks. */
  readonly source?: HookSource;
  readonly problems: readonly SourceProblem[];
}

/** Returns the hooks of the first file of a root that has some, and the problems of the files up to it. */
async function loadRoot(root: SourceRoot, context: LoadContext): Promise<LoadedFile> {
  const problems: SourceProblem[] = [];
  for (const file of files) {
    try {
      const loaded = await loadFile(root, file, context);
      problems.push(...loaded.problems);
      if (loaded.source) return { source: loaded.source, problems };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { problems: [...problems, error.at(join(root.directory, file))] };
    }
  }
  return { problems };
}

async function loadFile(root: SourceRoot, file: string, { workspace, trusted }: LoadContext): Promise<LoadedFile> {
  const content = await readSource(root, file);
  if (!content) return { problems: [] };
  const { hooks: parsed, problems: fileProblems } = await parse(content.toString());
  const path = join(root.directory, file);
  const problems = fileProblems.map((message) => ({ path, message }));
  // Commands of a repository are relative to it, those of the user to the workspace.
  const directory = root.scope === 'project' ? root.directory : workspace;
  if (isWithoutHooks(parsed)) return { problems };
  const named = new Map<Hook, Record<string, string>>();
  for (const hook of Object.values(parsed).flatMap((groups) => groups.flatMap(({ hooks }) => hooks))) {
    named.set(hook, directory === undefined || hook.type === 'prompt' ? {} : await namedFiles(hook.command, directory));
  }
  const hooks = mapHooks(parsed, (hook) => {
    if (hook.type === 'prompt') return hook;
    const { files: _, ...rest } = hook;
    const paths = named.get(hook) ?? {};
    return {
      ...rest,
      ...(Object.keys(paths).length > 0 && { files: paths }),
      ...(directory !== undefined && directory !== workspace && { directory }),
    };
  });
  const all = Object.fromEntries([...named.values()].flatMap((paths) => Object.entries(paths)));
  const fileDigests = { [`${root.scope} ${file}`]: fileDigest(content) };
  const whole = contentDigest('hooks', { ...all, ...fileDigests });
  // What a user trusts in each workspace is the same, and what the workspace adds to it differs.
  const digests = root.scope === 'project' ? [whole] : [...new Set([contentDigest('hooks', fileDigests), whole])];
  let isTrusted = true;
  for (const digest of digests) isTrusted &&= await trusted(digest);
  return { source: { path, scope: root.scope, hooks, digests, isTrusted }, problems };
}

async function parse(text: string): Promise<ReadHooks> {
  try {
    return readHooks(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new SourceError('The file is not valid JSON.', await lineOfMistake(text));
    throw error;
  }
}

/** Returns the line of the first mistake, from 1; undefined if finding it would take long. */
async function lineOfMistake(text: string): Promise<number | undefined> {
  if (text.length > maxLength) return undefined;
  const { parseDocument } = await import('yaml');
  try {
    // YAML is a superset of JSON, and its parser reports lines.
    return parseDocument(text).errors[0]?.linePos?.[0].line;
  } catch {
    return undefined;
  }
}

function mapHooks(config: HookConfig, change: (hook: Hook) => Hook): HookConfig {
  return Object.fromEntries(
    Object.entries(config).map(([type, groups]) => [
      type,
      groups.map((group) => ({ ...group, hooks: group.hooks.map(change) })),
    ]),
  );
}

/**
 * Returns the digests of files of the workspace that a command names, by relative path: the agent can write them, and
 * they are part of what a person trusts. Programs that these files start in turn are not found.
 */
async function namedFiles(command: string, workspace: string): Promise<Record<string, string>> {
  // A map, because a file may have the name `__proto__`.
  const digests = new Map<string, string>();
  for (const path of await pathsInCommand([command], { workspace })) {
    const content = await readSource({ directory: workspace, scope: 'project' }, path).catch(() => undefined);
    if (content) digests.set(path, fileDigest(content));
  }
  return Object.fromEntries(digests);
}
