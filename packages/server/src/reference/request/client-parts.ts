import { receivedDefinition, type SubAgentDefinition } from '@varve/agent/delegation';
import { mergeHooks, type Hook, type HookConfig } from '@varve/agent/confirmation';
import { defineSkill, type Skill } from '@varve/skills';
import { serversOfFile, type FileServer } from '@varve/settings/agent';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { RequestError } from '../../error.ts';
import type { PrivateRecord } from '../private/private-values.ts';

/** What the client of a conversation sent: the fields of its agent, and those with secrets. */
export interface ClientSources {
  /** The agent of the client, in the JSON of the protocol; absent for a conversation of another program. */
  readonly agent?: Readonly<Record<string, unknown>> | undefined;
  /** Sub-agents, in the JSON of the protocol. */
  readonly agentDefinitions?: readonly unknown[] | undefined;
  readonly record: Pick<PrivateRecord, 'hooks' | 'mcp'>;
  /** Directory of the agent, absolute. */
  readonly workspace: string;
}

/** Parts of an agent that a client sent, and how they join those of files, before which they have precedence. */
export interface ClientParts {
  readonly context: AgentContext;
  /** Servers that replace those of the settings; undefined without a list of the client. */
  readonly servers: readonly FileServer[] | undefined;
  /** Names of servers that are not valid. */
  readonly invalidServers: readonly string[];
  /** Returns the sub-agents of the client, then those of files with other names. @throws {RequestError} `invalid`. */
  subAgents(files: readonly SubAgentDefinition[]): readonly SubAgentDefinition[];
  /** Returns the skills of the client, then those of files with other names. */
  skills(files: readonly Skill[]): readonly Skill[];
  /** Returns the hooks of files, then those of the client; undefined if there are neither. */
  hooks(files: HookConfig | undefined): HookConfig | undefined;
}

/** Reads the parts of an agent that a client sent. */
export function clientParts({ agent, agentDefinitions = [], record, workspace }: ClientSources): ClientParts {
  const context = agentContextOf(agent);
  const { servers, invalid } = serversOfFile({ mcpServers: record.mcp ?? {} });
  const configs = Object.entries(servers);
  return {
    context,
    servers: record.mcp && configs.map(([name, config]) => ({ name, config, directory: workspace, isOwn: true })),
    invalidServers: invalid,
    subAgents(files) {
      const received = receivedSubAgents(agentDefinitions);
      const names = new Set(received.map(({ name }) => name));
      return [...received, ...files.filter(({ name }) => !names.has(name))];
    },
    skills: (files) => joinedSkills(context, files),
    hooks: (files) => joinedHooks(files, record.hooks),
  };
}

const trigger = lazy(() =>
  z.union([
    z.object({ type: z.literal('keyword'), keywords: z.array(z.string()) }),
    z.object({ type: z.literal('task'), triggers: z.array(z.string()) }),
  ]),
);
const skill = lazy(() =>
  z.object({
    name: z.string().min(1),
    content: z.string(),
    description: z.string().nullish(),
    trigger: trigger().nullish().catch(null),
    is_agentskills_format: z.boolean().default(false),
  }),
);
const flag = lazy(() => z.boolean().optional().catch(undefined));
const context = lazy(() =>
  z.object({
    skills: z.array(z.unknown()).default([]).catch([]),
    disabled_skills: z.array(z.string()).default([]).catch([]),
    load_project_skills: flag(),
    load_user_skills: flag(),
    load_public_skills: flag(),
  }),
);

/** Context that a client sends with an agent. A flag that is absent leaves the choice to the server. */
export type AgentContext = z.output<ReturnType<typeof context>>;

/** Returns the context of an agent. @see software-agent-sdk AgentContext */
function agentContextOf(agent: Readonly<Record<string, unknown>> | undefined): AgentContext {
  return context().parse(context().safeParse(agent?.['agent_context']).data ?? {});
}

/** Maximum number of skills of an agent. */
const maxSkills = 100;

/**
 * Returns the skills that a client sends with an agent, and those of files whose names they do not have. The texts of
 * the client are its own, and commands in them are not run; a skill that it read from a file stays that of the file.
 * Those that cannot be read, or are disabled, are left out.
 *
 * @see software-agent-sdk Skill
 */
function joinedSkills(
  { skills: sent, disabled_skills: disabled }: AgentContext,
  files: readonly Skill[],
): readonly Skill[] {
  const isOfFile = ({ name, content }: Pick<Skill, 'name' | 'content'>): boolean =>
    files.some((file) => file.name === name && file.content.trim() === content.trim());
  const added = sent
    .flatMap((json) => skill().safeParse(json).data ?? [])
    .filter((received) => !disabled.includes(received.name) && !isOfFile(received))
    .map(({ name, content, description, trigger: on, is_agentskills_format: isListed }) =>
      defineSkill({
        name,
        content,
        isListed,
        ...(typeof description === 'string' && { description }),
        ...(on && { trigger: on }),
      }),
    );
  const all = [...added, ...files];
  // The first of a name counts.
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index).slice(0, maxSkills);
}

/**
 * Returns the trusted hooks of files, and those of a client after them. A client may have read the hooks of files
 * before it sends them: each runs once. Undefined if there are neither.
 */
function joinedHooks(files: HookConfig | undefined, sent: HookConfig | undefined): HookConfig | undefined {
  if (!files || !sent) return files ?? sent;
  const added = Object.entries(sent).map(([type, groups]) => {
    const known = new Set(
      (files[type as keyof HookConfig] ?? []).flatMap(({ matcher, hooks }) =>
        hooks.map((hook) => identityOf(matcher, hook)),
      ),
    );
    const others = groups.map(({ matcher, hooks }) => ({
      ...(matcher !== undefined && { matcher }),
      hooks: hooks.filter((hook) => !known.has(identityOf(matcher, hook))),
    }));
    return [type, others.filter(({ hooks }) => hooks.length > 0)] as const;
  });
  return mergeHooks(files, Object.fromEntries(added) as HookConfig);
}

/** Clients receive hooks without the digests and directories of their files. */
function identityOf(matcher = '*', hook: Hook): string {
  return JSON.stringify([matcher === '' ? '*' : matcher, hook.type === 'command' ? hook.command : hook.prompt]);
}

/** Returns the sub-agents that a client sends. @throws {RequestError} `invalid` for one that cannot be used. */
export function receivedSubAgents(sent: readonly unknown[]): readonly SubAgentDefinition[] {
  return sent.map((definition) => {
    try {
      return receivedDefinition(definition);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new RequestError('invalid', `agent_definitions: ${cause.message}`, { cause });
    }
  });
}

/** Returns a definition as the log contains it: without servers and hooks, which have no effect. */
export function storedDefinition(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { mcp_config: _servers, mcp_servers: _more, mcpServers: _others, hooks: _hooks, ...stored } = sent;
  return stored;
}
