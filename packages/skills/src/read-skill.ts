import { dirname, join } from 'node:path';
import * as z from 'zod';
import { listSource, readSource, SourceError, type SourceRoot } from './sources/read-source.ts';
import { contentDigest, fileDigest, type TrustPredicate } from './sources/trust.ts';
import type { SkillFile } from './find-skill-files.ts';
import { parseSkill } from './parse-skill.ts';
import type { Skill, SkillExecution } from './skill.ts';

/** Largest file of a skill, in bytes: the model reads all of it. */
const maxBytes = 128 * 1024;
const maxResources = 200;
const maxResourceDepth = 3;

const mcpFile = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/** Reads one skill. @throws {SourceError} when its file, its servers or its scripts cannot be used. */
export async function readSkill(root: SourceRoot, file: SkillFile, trusted: TrustPredicate): Promise<Skill> {
  const content = await readSource(root, file.path);
  if (!content) throw new SourceError('The file does not exist.');
  if (content.length > maxBytes) throw new SourceError(`The skill is larger than ${maxBytes} bytes.`);
  const { hasCommands, ...parsed } = await parseSkill(content.toString(), nameOf(file), file.isListed);
  const directory = dirname(file.path);
  const resources = file.isListed ? await resourcesOf(root, directory) : [];
  const scripts = resources.filter((path) => path.startsWith('scripts/'));
  const mcp = file.isListed ? await readSource(root, join(directory, '.mcp.json')) : undefined;
  const servers = mcp ? parseServers(mcp.toString()) : {};
  const executes: readonly SkillExecution[] = [
    ...(hasCommands ? ['commands' as const] : []),
    ...(Object.keys(servers).length > 0 ? ['mcp' as const] : []),
    ...(scripts.length > 0 ? ['scripts' as const] : []),
  ];
  const files = { skill: fileDigest(content), ...(mcp && { mcp: fileDigest(mcp) }) };
  const digest = contentDigest('skill', { ...files, ...(await digestsOf(root, directory, scripts)) });
  const isTrusted = executes.length > 0 && (await trusted(digest));
  return {
    ...parsed,
    path: join(root.directory, file.path),
    scope: root.scope,
    resources: isTrusted ? resources : resources.filter((path) => !scripts.includes(path)),
    mcpServers: isTrusted ? servers : {},
    executes,
    digest,
    isTrusted,
  };
}

function nameOf({ path, isListed }: SkillFile): string {
  const parts = path.split('/');
  return isListed ? (parts.at(-2) ?? '') : (parts.at(-1) ?? '').replace(/\.md$/i, '');
}

function parseServers(text: string): Readonly<Record<string, unknown>> {
  try {
    return mcpFile.parse(JSON.parse(text)).mcpServers;
  } catch {
    throw new SourceError('Its .mcp.json is not valid.');
  }
}

/** Returns the files in the directories for resources: sorted, relative to the directory of the skill. */
async function resourcesOf(root: SourceRoot, directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = ['scripts', 'references', 'assets'].map((path) => ({ path, depth: 1 }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    for (const { name, kind } of await listSource(root, join(directory, next.path))) {
      const path = join(next.path, name);
      if (kind === 'directory' && next.depth < maxResourceDepth) queue.push({ path, depth: next.depth + 1 });
      else if (kind === 'file') found.push(path);
      if (found.length + queue.length > maxResources) {
        throw new SourceError(`The skill has more than ${maxResources} files.`);
      }
    }
  }
  return found.toSorted();
}

async function digestsOf(root: SourceRoot, directory: string, paths: readonly string[]) {
  const digests: Record<string, string> = {};
  for (const path of paths) digests[path] = fileDigest((await readSource(root, join(directory, path))) ?? Buffer.of());
  return digests;
}
