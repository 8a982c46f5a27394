import * as z from 'zod';
import { lazy } from '@varve/events';
import { SourceError } from './sources/read-source.ts';
import { splitFrontMatter } from './sources/front-matter.ts';
import { fieldsOfRule } from './cursor-rule.ts';
import type { SkillFile } from './find-skill-files.ts';
import { commandsIn } from './dynamic-text.ts';
import { maxDescriptionLength, maxNameLength, skillName, type Skill, type SkillTrigger } from './skill.ts';

/** Fields of a skill that its text determines. */
export type ParsedSkill = Pick<
  Skill,
  | 'name'
  | 'description'
  | 'content'
  | 'trigger'
  | 'inputs'
  | 'disableModelInvocation'
  | 'version'
  | 'license'
  | 'compatibility'
  | 'metadata'
  | 'allowedTools'
  | 'isListed'
> & { readonly hasCommands: boolean };

const optionalText = lazy(() => z.union([z.string(), z.number()]).transform(String).nullish());
const words = lazy(() =>
  z
    .union([z.string().transform((text) => text.split(/\s+/).filter((word) => word !== '')), z.array(z.string())])
    .nullish(),
);
const known = lazy(() =>
  z.looseObject({
    name: optionalText(),
    description: optionalText(),
    triggers: z.array(z.union([z.string(), z.number()]).transform(String)).nullish(),
    inputs: z.array(z.object({ name: z.string(), description: z.string().optional() })).nullish(),
    license: optionalText(),
    compatibility: optionalText(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    version: optionalText(),
    'allowed-tools': words(),
    'disable-model-invocation': z.boolean().nullish(),
    paths: z
      // A comma within braces is part of a pattern.
      .union([z.string().transform((text) => text.match(/(?:\{[^{}]*\}|[^,])+/g) ?? []), z.array(z.string())])
      .transform((list) => list.map((path) => path.trim()).filter((path) => path !== ''))
      .nullish(),
  }),
);

/**
 * Parses the file of a skill. `fallbackName` is the name of its directory or file. The name of a `SKILL.md` becomes
 * lower-case words with hyphens, which the model writes to load it.
 *
 * @throws {SourceError} for invalid front matter, invalid fields, and a name without letters and digits.
 */
export async function parseSkill(
  text: string,
  fallbackName: string,
  format: SkillFile['format'],
): Promise<ParsedSkill> {
  const { fields: written, body } = await splitFrontMatter(text);
  const { fields, isListed } =
    format === 'cursor-rule' ? fieldsOfRule(written, fallbackName) : { fields: written, isListed: format === 'skill' };
  const { data, error } = known().safeParse(fields);
  if (!data) {
    const [issue] = error.issues;
    throw new SourceError(`The field ${issue?.path.join('.') ?? ''} is invalid: ${issue?.message ?? ''}.`, 2);
  }
  const fileName = data.name ?? fallbackName;
  const name = isListed ? listedName(fileName, fallbackName) : fileName;
  const paths = data.paths ?? [];
  const trigger = paths.length > 0 ? pathTrigger(paths) : triggerOf(name, data.inputs ?? [], data.triggers ?? []);
  const { description, license, compatibility } = data;
  return {
    name,
    ...(description && { description: shortened(description) }),
    content: body,
    ...(trigger && { trigger }),
    inputs: (data.inputs ?? []).map(({ name: input, description: about }) => ({
      name: input,
      ...(about !== undefined && { description: about }),
    })),
    disableModelInvocation: paths.length > 0 || (data['disable-model-invocation'] ?? false),
    version: data.version ?? '1.0.0',
    ...(license && { license }),
    ...(compatibility && { compatibility }),
    metadata: Object.fromEntries(Object.entries(data.metadata ?? {}).map(([key, value]) => [key, plain(value)])),
    allowedTools: data['allowed-tools'] ?? [],
    isListed,
    hasCommands: commandsIn(body).length > 0,
  };
}

function listedName(name: string, directory: string): string {
  const usable = [name, directory].map(hyphenated).find((candidate) => skillName.test(candidate));
  if (usable === undefined)
    throw new SourceError(`The name ${JSON.stringify(name.slice(0, 100))} has no letters and digits.`, 2);
  return usable;
}

function hyphenated(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replaceAll(/^-|-$/g, '');
}

/** Longest pattern of a path, in UTF-16 units, and the number of them. */
const maxPathLength = 500;
const maxPaths = 100;

/** Paths have priority over other triggers. */
function pathTrigger(paths: readonly string[]): SkillTrigger {
  if (paths.length > maxPaths || paths.some((path) => path.length > maxPathLength)) {
    throw new SourceError(`A skill has at most ${maxPaths} paths of at most ${maxPathLength} characters.`, 2);
  }
  return { type: 'path', paths };
}

function triggerOf(name: string, inputs: readonly unknown[], triggers: readonly string[]): SkillTrigger | undefined {
  const used = triggers.map((word) => word.trim()).filter((word) => word !== '');
  if (inputs.length > 0) return { type: 'task', triggers: [...new Set([`/${name}`, ...used])] };
  return used.length > 0 ? { type: 'keyword', keywords: used } : undefined;
}

function shortened(description: string): string {
  if (description.length <= maxDescriptionLength) return description;
  const note = ' … (shortened; invoke the skill to read all of it)';
  return description.slice(0, maxDescriptionLength - note.length) + note;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
