import type { Skill } from '@varve/skills';
import type { McpServer } from '@varve/tools/mcp';
import { parseServerFile, serversOfFile, type McpServerConfig } from '../definitions/mcp-server.ts';
import { SettingsError } from '../error.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import type { TrustSubject } from '../trust/trust-subject.ts';
import { resolveServer } from './resolve-server.ts';

/** Server of a file. */
export interface FileServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Directory of its relative paths, absolute. */
  readonly directory: string;
  /** True for a server of the person, whose values may be references `secret:NAME` to any secret. */
  readonly isOwn?: boolean;
}

/** Servers of trusted files, the strongest first, and files with errors. */
export interface FileServers {
  readonly servers: readonly FileServer[];
  /** One sentence each. */
  readonly problems: readonly string[];
}

/**
 * Returns the servers in the `.mcp.json` of trusted directories, the workspace first, then those of trusted skills.
 * They are read from the bytes that were compared with what a person trusts.
 */
export function serversOfFiles(
  trusted: readonly TrustSubject[],
  skills: readonly Skill[],
  workspace: string,
): FileServers {
  const files = trusted.toReversed().flatMap(({ configuration }) => {
    const bytes = configuration.scope === 'project' ? configuration.read('.mcp.json') : undefined;
    return bytes
      ? [
          {
            json: parseServerFile(bytes),
            where: `${configuration.workspace}/.mcp.json`,
            directory: configuration.workspace,
          },
        ]
      : [];
  });
  const ofSkills = skills.map(({ name, mcpServers }) => {
    return { json: { mcpServers }, where: `The skill ${name}`, directory: workspace };
  });
  const parsed = [...files, ...ofSkills].map(({ json, ...place }) => ({ ...serversOfFile(json), ...place }));
  return {
    servers: parsed.flatMap(({ servers, directory }) =>
      Object.entries(servers).map(([name, config]) => ({ name, config, directory })),
    ),
    problems: parsed.flatMap(({ invalid, where }) => invalid.map((name) => `${where}: ${name} is not valid.`)),
  };
}

/** Servers to start, by name, and those that cannot be. */
export interface ConfiguredServers {
  readonly servers: Readonly<Record<string, McpServer>>;
  /** Names of those that run without a sandbox. */
  readonly outside: ReadonlySet<string>;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Options of {@link configuredServers}. */
export interface ServerPlaces {
  readonly settings?: Settings | undefined;
  /** Servers of a client in place of those of the settings; all of them are enabled. */
  readonly servers?: readonly FileServer[] | undefined;
  /** Servers that start in addition, as they are: nothing of them refers to a secret. Default: none. */
  readonly clientServers?: Readonly<Record<string, McpServer>> | undefined;
  /** Directory of the relative paths of the settings, absolute. */
  readonly workspace: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** All secrets of the person, for references of the person's own servers. */
  readonly referable?: Readonly<Record<string, string>> | undefined;
}

/** Returns the servers of the settings and of trusted files; those of a stronger place replace others of their name. */
export function configuredServers(
  files: readonly FileServer[],
  { settings, servers: ownServers, clientServers = {}, workspace, secrets, referable = {} }: ServerPlaces,
): ConfiguredServers {
  const enabled = settings?.get('mcp_enabled');
  const isEnabled = (name: string): boolean =>
    (enabled?.includes(name) ?? true) || (ownServers?.some((server) => server.name === name) ?? false);
  const byName = new Map<string, FileServer>();
  for (const server of [...(ownServers ?? ofSettings(settings, workspace)), ...files]) {
    if (!byName.has(server.name)) byName.set(server.name, server);
  }
  const servers: Record<string, McpServer> = { ...clientServers };
  const outside = new Set<string>();
  // Those of the settings are not among the servers of a client.
  const problems: string[] = (ownServers ? [] : (enabled ?? []))
    .filter((name) => !byName.has(name))
    .map((name) => `There is no server ${JSON.stringify(name)}, which mcp_enabled names.`);
  for (const { name, config, directory, isOwn = false } of byName.values()) {
    if (config.enabled === false || !isEnabled(name) || Object.hasOwn(clientServers, name)) continue;
    if (config.sandbox === false) outside.add(name);
    try {
      servers[name] = resolveServer(name, config, { directory, secrets, referable: isOwn ? referable : {} });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message);
    }
  }
  return { servers, outside, problems };
}

/** The servers of all places count, not only those of the strongest. */
function ofSettings(settings: Settings | undefined, workspace: string): readonly FileServer[] {
  const entry = settings?.entry('mcp_servers');
  return (entry ? [entry, ...entry.hidden] : []).flatMap(({ value, origin }) =>
    // Each value has passed the schema of the setting.
    Object.entries(value as Readonly<Record<string, McpServerConfig>>).map(([name, config]) => {
      const isOwn = origin.kind !== 'file' || origin.layer !== 'project';
      return { name, config, directory: workspace, isOwn };
    }),
  );
}
