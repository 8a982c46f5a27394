import { dirname, join } from 'node:path';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { listSource, readSource, SourceError, type SourceProblem, type SourceRoot } from './sources/read-source.ts';
import { contentDigest, fileDigest, type TrustPredicate } from './sources/trust.ts';
import type { SkillFile } from './find-skill-files.ts';
import { parseSkill } from './parse-skill.ts';
import type { Skill, SkillExecution } from './skill.ts';

/** Largest file of a skill, in bytes: the model reads all of it. */
const maxBytes = 128 * 1024;
const maxResources = 200;
const maxResourceDepth = 3;

const mcpFile = lazy(() => z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) }));

/** A skill, and those of its files that cannot be used. */
export interface ReadSkill {
  readonly skill: Skill;
  readonly problems: readonly SourceProblem[];
}

/** Reads one skill. @throws {SourceError} when its file cannot be used. */
export async function readSkill(root: SourceRoot, file: SkillFile, trusted: TrustPredicate): Promise<ReadSkill> {
  const content = await readSource(root, file.path);
  if (!content) throw new SourceError('The file does not exist.');
  if (content.length > maxBytes) throw new SourceError(`The skill is larger than ${maxBytes} bytes.`);
  const { hasCommands, ...parsed } = await parseSkill(content.toString(), nameOf(file), file.format);
  const directory = dirname(file.path);
  const problems: SourceProblem[] = [];
  const onProblem = (error: SourceError, path: string): void => {
    problems.push(error.at(join(root.directory, directory, path)));
  };
  const part: SkillPart = { root, directory, onProblem };
  const isFolder = file.format === 'skill';
  const names = isFolder ? await resourcesOf(part) : [];
  const { scripts, digests } = await digestsOf(part, names);
  const resources = names.filter((path) => !path.startsWith('scripts/') || scripts.includes(path));
  const { mcp, servers } = isFolder ? await serversOf(part) : { mcp: undefined, servers: {} };
  const executes: readonly SkillExecution[] = [
    ...(hasCommands ? ['commands' as const] : []),
    ...(Object.keys(servers).length > 0 ? ['mcp' as const] : []),
    ...(scripts.length > 0 ? ['scripts' as const] : []),
  ];
  const files = { skill: fileDigest(content), ...(mcp && { mcp: fileDigest(mcp) }) };
  const digest = contentDigest('skill', { ...files, ...digests });
  const isTrusted = executes.length > 0 && (await trusted(digest));
  const skill: Skill = {
    ...parsed,
    path: join(root.directory, file.path),
    scope: root.scope,
    resources: isTrusted ? resources : resources.filter((path) => !scripts.includes(path)),
    mcpServers: isTrusted ? servers : {},
    executes,
    digest,
    isTrusted,
  };
  return { skill, problems };
}

function nameOf({ path, format }: SkillFile): string {
  const parts = path.split('/');
  return format === 'skill' ? (parts.at(-2) ?? '') : (parts.at(-1) ?? '').replace(/\.mdc?$/i, '');
}

/** Directory of a skill, whose unusable files do not prevent the others from being used. */
interface SkillPart {
  readonly root: SourceRoot;
  readonly directory: string;
  readonly onProblem: (error: SourceError, path: string) => void;
}

/** Reads a file of a skill; undefined if it is missing or cannot be used, which is then a problem. */
async function readPart({ root, directory, onProblem }: SkillPart, path: string): Promise<Buffer | undefined> {
  try {
    return await readSource(root, join(directory, path));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    onProblem(error, path);
    return undefined;
  }
}

async function serversOf(part: SkillPart) {
  const mcp = await readPart(part, '.mcp.json');
  if (mcp === undefined) return { mcp, servers: {} };
  try {
    return { mcp, servers: mcpFile().parse(JSON.parse(mcp.toString().replace(/^\uFEFF/, ''))).mcpServers };
  } catch {
    part.onProblem(
      new SourceError('The file is not valid JSON with mcpServers; the skill is used without servers.'),
      '.mcp.json',
    );
    return { mcp, servers: {} };
  }
}

/** Returns the files in the directories for resources: sorted, relative to the directory of the skill. */
async function resourcesOf({ root, directory, onProblem }: SkillPart): Promise<readonly string[]> {
  const resources: string[] = [];
  const queue = ['scripts', 'references', 'assets'].map((path) => ({ path, depth: 1 }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    for (const { name, kind } of await listSource(root, join(directory, next.path))) {
      const path = join(next.path, name);
      if (kind === 'directory' && next.depth < maxResourceDepth) queue.push({ path, depth: next.depth + 1 });
      else if (kind === 'file') resources.push(path);
      if (resources.length + queue.length > maxResources) {
        onProblem(new SourceError(`The skill has more than ${maxResources} files, of which the first are named.`), '.');
        return resources.toSorted();
      }
    }
  }
  return resources.toSorted();
}

/** Returns the scripts among the resources that can be read, and their digests. */
async function digestsOf(part: SkillPart, resources: readonly string[]) {
  const digests: Record<string, string> = {};
  for (const path of resources.filter((each) => each.startsWith('scripts/'))) {
    const content = await readPart(part, path);
    if (content) digests[path] = fileDigest(content);
  }
  return { scripts: Object.keys(digests), digests };
}
