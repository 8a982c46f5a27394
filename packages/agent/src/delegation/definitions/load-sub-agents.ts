import { basename, join } from 'node:path';
import { gitRoot } from '@varve/files';
import {
  fileBudget,
  listSource,
  readSource,
  SourceError,
  type SourceProblem,
  type SourceRoot,
  contentDigest,
  fileDigest,
  trustNothing,
  type TrustPredicate,
} from '@varve/skills';
import { maxSubAgents } from '../../agent/agent.ts';
import { parseDefinition } from './parse-definition.ts';
import type { SubAgentDefinition } from './sub-agent-definition.ts';

/** Options of {@link loadSubAgents}. */
export interface LoadSubAgentsOptions {
  /** Absolute path; absent, only the user's are loaded. */
  readonly workspace?: string;
  /** Home directory of the user; absent, the user has no sub-agents. */
  readonly home?: string;
  /** Decides about each file that names servers or a model; default none is trusted. */
  readonly trusted?: TrustPredicate;
}

/** Sub-agents in the files of a workspace and its user. */
export interface LoadedSubAgents {
  /** Each name once, sorted by name. */
  readonly definitions: readonly SubAgentDefinition[];
  readonly problems: readonly SourceProblem[];
}

/** Largest file, in bytes: the model reads all of it. */
const maxBytes = 128 * 1024;

const directories = ['.varve/agents', '.agents/agents', '.openhands/agents', '.claude/agents'];

/**
 * Loads the Markdown files in the directories for sub-agents of the workspace, of the git repository around it, and of
 * the user. The first with a name in this order is used. A file with an error is a problem, and does not prevent
 * others; a README is not a sub-agent.
 *
 * @see software-agent-sdk load_agents_from_dir
 */
export async function loadSubAgents(options: LoadSubAgentsOptions): Promise<LoadedSubAgents> {
  const { workspace, home, trusted = trustNothing } = options;
  const project = workspace === undefined ? [] : [...new Set([workspace, (await gitRoot(workspace)) ?? workspace])];
  const roots: readonly SourceRoot[] = [
    ...project.filter((directory) => directory !== home).map((directory) => ({ directory, scope: 'project' }) as const),
    ...(home === undefined ? [] : [{ directory: home, scope: 'user' } as const]),
  ];
  const byName = new Map<string, SubAgentDefinition>();
  const problems: SourceProblem[] = [];
  const budget = fileBudget('sub-agents', workspace ?? '');
  for (const root of roots) {
    for (const path of await definitionFiles(root)) {
      if (!budget.reads(root)) continue;
      const loaded = await loadFile(root, path, trusted);
      problems.push(...loaded.problems);
      if (loaded.definition && !byName.has(loaded.definition.name))
        byName.set(loaded.definition.name, loaded.definition);
    }
  }
  problems.push(...budget.problems());
  const all = [...byName.values()];
  for (const { name, path } of all.slice(maxSubAgents)) {
    problems.push({ path, message: `The sub-agent ${name} is left out: an agent has at most ${maxSubAgents}.` });
  }
  const definitions = all.slice(0, maxSubAgents).toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return { definitions, problems };
}

/** Returns the digest by which a person trusts the file of a sub-agent. */
export function subAgentDigest(content: Uint8Array): string {
  return contentDigest('agent', { agent: fileDigest(content) });
}

/** Returns the files of a root, relative to it. */
async function definitionFiles(root: SourceRoot): Promise<readonly string[]> {
  const files: string[] = [];
  for (const directory of directories) {
    for (const { name, kind } of await listSource(root, directory)) {
      if (kind === 'directory' || name.startsWith('.') || !/\.md$/i.test(name) || /^readme\.md$/i.test(name)) continue;
      files.push(join(directory, name));
    }
  }
  return files;
}

interface LoadedFile {
  readonly definition?: SubAgentDefinition;
  readonly problems: readonly SourceProblem[];
}

async function loadFile(root: SourceRoot, path: string, trusted: TrustPredicate): Promise<LoadedFile> {
  const whole = join(root.directory, path);
  try {
    const content = await readSource(root, path);
    if (!content) throw new SourceError('The file does not exist.');
    if (content.length > maxBytes) throw new SourceError(`The file is larger than ${maxBytes} bytes.`);
    const isForeign = path.startsWith('.claude');
    const { ignored, ...parsed } = await parseDefinition(
      content.toString(),
      basename(path).replace(/\.md$/i, ''),
      isForeign,
    );
    const executes = Object.keys(parsed.mcpServers).length > 0;
    const digest = subAgentDigest(content);
    const needsTrust = executes || parsed.model !== 'inherit';
    const isTrusted = needsTrust && (await trusted(digest));
    const mcpServers = isTrusted ? parsed.mcpServers : {};
    const definition = { ...parsed, mcpServers, path: whole, scope: root.scope, executes, digest, isTrusted };
    const problems = ignored.map((name) => ({
      path: whole,
      message: `${name} has no effect in a sub-agent of varve.`,
    }));
    return { definition, problems };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { problems: [error.at(whole)] };
  }
}
