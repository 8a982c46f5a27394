import * as z from 'zod';
import { lazy, type Json } from '@varve/events';
import { SourceError, contentDigest, fileDigest, splitFrontMatter, type FrontMatter } from '@varve/skills';
import type { SubAgentDefinition } from './sub-agent-definition.ts';
import { subAgentName } from '../../agent/agent.ts';
import { toolNamesOf, type NamedTools } from './tool-names.ts';

/** Fields of a definition that its text determines. */
export type ParsedDefinition = Omit<SubAgentDefinition, 'path' | 'scope' | 'executes' | 'digest' | 'isTrusted'> & {
  /** Names of tools that have no counterpart, and fields that have no effect. */
  readonly ignored: readonly string[];
};

/** Names in a list, or in one text separated by commas. */
const names = lazy(() =>
  z
    .union([z.string().transform((text) => text.split(',')), z.array(z.string())])
    .transform((list) => list.map((name) => name.trim()).filter((name) => name !== ''))
    .nullish(),
);
const count = lazy(() => z.int().positive().nullish());
const fields = lazy(() => ({
  name: z.string().nullish(),
  description: z.string().nullish(),
  model: z.string().nullish(),
  color: z.string().nullish(),
  tools: names(),
  disallowedTools: names(),
  disallowed_tools: names(),
  skills: names(),
  permission_mode: z.enum(['always_confirm', 'confirm_risky', 'never_confirm']).nullish(),
  max_iteration_per_run: count(),
  max_steps: count(),
  maxTurns: count(),
  max_budget_per_run: z.number().positive().nullish(),
  max_minutes_per_run: z
    .number()
    .positive()
    .max(24 * 60)
    .nullish(),
  condenser: z.union([z.literal(false), z.literal('none'), z.record(z.string(), z.json())]).nullish(),
  mcp_config: z.record(z.string(), z.unknown()).nullish(),
  mcp_servers: z.record(z.string(), z.unknown()).nullish(),
  mcpServers: z.record(z.string(), z.unknown()).nullish(),
}));
const known = lazy(() => z.looseObject(fields()));

/** Models of another agent, which a file for it may name: the parent's is used. */
const foreignModels = new Set(['', 'inherit', 'default', 'sonnet', 'opus', 'haiku']);

/**
 * Parses the file of a sub-agent. `fallbackName` is the name of the file; `isForeign` is true for one of Claude Code,
 * whose tools and models have other names.
 *
 * @throws {SourceError} with the line, for invalid front matter, invalid fields, and a body without text.
 */
export async function parseDefinition(
  text: string,
  fallbackName: string,
  isForeign: boolean,
): Promise<ParsedDefinition> {
  return definitionOf(await splitFrontMatter(text), fallbackName, isForeign);
}

/** Returns the definition in the parts of a file. @throws {SourceError} as {@link parseDefinition}. */
export function definitionOf(
  { fields: fieldValues, body, lineOf }: FrontMatter,
  fallbackName: string,
  isForeign: boolean,
): ParsedDefinition {
  const { data, error } = known().safeParse(fieldValues);
  if (!data) {
    const [issue] = error.issues;
    const field = String(issue?.path[0] ?? '');
    throw new SourceError(`The field ${field} is invalid: ${issue?.message ?? ''}.`, lineOf(field));
  }
  const name = data.name ?? fallbackName;
  if (!subAgentName.test(name)) {
    throw new SourceError(
      `The name ${JSON.stringify(name.slice(0, 100))} is not letters, digits, _ and -.`,
      lineOf('name'),
    );
  }
  if (body === '') throw new SourceError('The file has no instructions.', 1);
  const tools = data.tools ? toolNamesOf(data.tools) : undefined;
  const disallowed = toolNamesOf(data.disallowedTools ?? data.disallowed_tools ?? []);
  const { model = 'inherit', color, skills, permission_mode: permissionMode } = data;
  const condenser = condenserOf(data.condenser);
  return {
    name,
    ...describedBy(data.description ?? ''),
    model: isForeign && foreignModels.has(model ?? '') ? 'inherit' : (model?.replace(/\.json$/, '') ?? 'inherit'),
    ...(color && { color }),
    ...(tools && { tools: usable(tools, isForeign) }),
    disallowedTools: disallowed.names,
    ...(skills && { skills }),
    instructions: body,
    ...(permissionMode && { permissionMode }),
    limits: limitsOf(data),
    ...(condenser !== undefined && { condenser }),
    mcpServers: data.mcp_config ?? data.mcp_servers ?? data.mcpServers ?? {},
    metadata: Object.fromEntries(Object.entries(fieldValues).filter(([field]) => !Object.hasOwn(fields(), field))),
    ignored: [...(isForeign && tools ? tools.unknown : []), ...('hooks' in fieldValues ? ['hooks'] : [])],
  };
}

/** A file of varve keeps the names of unknown tools, so that using it fails; one of another agent goes without them. */
function usable({ names: knownNames, unknown }: NamedTools, isForeign: boolean): readonly string[] {
  return isForeign ? knownNames : [...knownNames, ...unknown];
}

function describedBy(text: string): Pick<SubAgentDefinition, 'description' | 'whenToUseExamples'> {
  const example = /<example>([^<]*(?:<(?!\/?example>)[^<]*)*)<\/example>/g;
  return {
    description: text.replaceAll(example, '').trim(),
    whenToUseExamples: [...text.matchAll(example)].map(([, content = '']) => content.trim()),
  };
}

function limitsOf(data: z.output<ReturnType<typeof known>>): SubAgentDefinition['limits'] {
  const steps = data.max_iteration_per_run ?? data.max_steps ?? data.maxTurns;
  const { max_budget_per_run: maxCostUsd, max_minutes_per_run: minutes } = data;
  return {
    ...(steps && { maxIterations: steps }),
    ...(maxCostUsd && { maxCostUsd }),
    ...(minutes && { maxMs: Math.ceil(minutes * 60_000) }),
  };
}

function condenserOf(value: z.output<ReturnType<typeof known>>['condenser']): Json | undefined {
  if (value === undefined || value === null) return undefined;
  return value === false ? 'none' : value;
}

const received = lazy(() => z.looseObject({ name: z.string(), system_prompt: z.string().nullish() }));

/**
 * Returns the sub-agent that a client of the reference describes. Its servers and hooks have no effect: what runs
 * programs belongs to the conversation.
 *
 * @throws {TypeError} for fields that are invalid, and one without instructions.
 * @see software-agent-sdk openhands/sdk/subagent/schema.py AgentDefinition
 */
export function receivedDefinition(json: unknown): SubAgentDefinition {
  const { data } = received().safeParse(json);
  if (!data) throw new TypeError('A sub-agent needs a name.');
  const { system_prompt: body, ...frontMatter } = data;
  try {
    const front = { fields: frontMatter, body: (body ?? '').trim(), lineOf: () => 1 };
    const { ignored: _, ...parsed } = definitionOf(front, data.name, false);
    return {
      ...parsed,
      mcpServers: {},
      path: '',
      scope: 'user',
      executes: false,
      isTrusted: false,
      digest: contentDigest('agent', { agent: fileDigest(Buffer.from(JSON.stringify(data))) }),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new TypeError(`The sub-agent ${data.name.slice(0, 64)} cannot be used: ${error.message}`, { cause: error });
  }
}
