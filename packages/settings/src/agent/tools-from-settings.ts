import { join } from 'node:path';
import { delegationKinds } from '@varve/agent/delegation';
import { toolset, type NamedTool, type ToolRegistry, type Toolset } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { SpecError } from '@varve/events/specs';
import type { Sandbox } from '@varve/sandbox';
import type { Variables } from '@varve/text';
import { namedSecrets, type RemotePlace, toolKinds, toolPresets, type ToolKind, type ToolSettings } from '@varve/tools';
import type { Workspace } from '@varve/tools/workspace';
import { SettingsError } from '../error.ts';
import { nearest } from '../layers/nearest.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import { withOutputs } from './sandbox-from-settings.ts';

/** Returns the secrets that a command names, by name. */
type CommandSecrets = (command: string) => Promise<Readonly<Record<string, string>>>;

/** Options of {@link toolsFromSettings}. */
export interface ToolSetup {
  /** Varve's data directory, in which long outputs and undo histories are stored. */
  readonly home: string;
  /** Environment of the agent's shell; variables with credentials reach it only if `shell.environment` names them. */
  readonly env: Variables;
  /** False for conversations in memory, which need no undo history on disk. */
  readonly keepsHistory: boolean;
  /** Receives sentences about programs that were ended with the agent, and about what they changed. */
  readonly onNotice?: (sentence: string) => void;
  /** Secrets by name: a command gets those that it names as variables. A function returns those of a command. */
  readonly secrets?: Readonly<Record<string, string>> | CommandSecrets;
  /** Walls around the commands of the agent. Default: none. */
  readonly sandbox?: Sandbox;
  /** Kinds of tools of the application, in addition to the built-in ones. */
  readonly kinds?: readonly ToolKind[];
  /** Tools of servers, whose kind is among `kinds`. */
  readonly serverTools?: readonly NamedTool[];
  /** Directory on an agent-server in which the tools work. Default: they work on this machine. */
  readonly place?: RemotePlace;
  /** Opens that directory. */
  readonly openPlace?: () => Workspace;
  /** Called for each option in `tools.options` without an effect, with a sentence. */
  readonly onIgnoredOption?: (problem: string) => void;
}

/**
 * Returns the tools of one conversation: those of the preset without the removed ones, and the added ones.
 *
 * @throws {SettingsError} `invalid` for an unknown tool, and for a wrong value of an option.
 */
export function toolsFromSettings(settings: Settings, setup: ToolSetup): Toolset {
  const kinds = toolKindsFor(settings, setup);
  const names = [...new Set(toolNames(settings).map((name) => kindOf(name, kinds).kind))];
  const params = toolOptions(settings, kinds);
  const ignored = (problem: string): void => setup.onIgnoredOption?.(problem);
  for (const name of Object.keys(params)) {
    if (!names.includes(name)) ignored(`tools.options: the agent has no tool ${JSON.stringify(name.slice(0, 100))}.`);
  }
  const { place } = setup;
  const listed = names.map((name) => ({ name, params: params[name] ?? {} }));
  const named = place ? toolsAt(place, listed) : listed;
  try {
    // The spec of the agent lists them, so that a resumed conversation has the same.
    return toolset([...named, ...(setup.serverTools ?? [])], kinds, {
      onIgnored: ({ path, kind }) => ignored(`tools.options: ${path.split('.').at(-1)} of ${kind} has no effect.`),
    });
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new SettingsError('invalid', `tools.options: ${error.message}`, { cause: error });
  }
}

/** Tools that work without a workspace, and those that have a counterpart on an agent-server. */
const placeless = new Set(['think', 'finish', 'task_tracker', 'memory']);
const placed = new Set(['terminal', 'file_editor', 'grep', 'glob']);

/**
 * Returns the tools that work on an agent-server in place of those of this machine.
 *
 * @throws {SettingsError} `invalid` for a tool without a counterpart there.
 */
export function toolsAt(place: RemotePlace, tools: readonly NamedTool[]): readonly NamedTool[] {
  const kinds = toolKinds();
  return tools.map((tool) => toolAt(place, kindNamed(tool.name, kinds)?.kind ?? tool.name));
}

function toolAt({ server, directory }: RemotePlace, name: string): NamedTool {
  if (placeless.has(name)) return { name };
  if (!placed.has(name))
    throw new SettingsError('invalid', `The tool ${name} cannot work on an agent-server, which workspace.server sets.`);
  return { name: `remote_${name}`, params: { server, directory } };
}

/** Returns the options of tools by the names of their kinds, which a file may write as the reference does. */
function toolOptions(
  settings: Settings,
  kinds: ToolRegistry,
): Readonly<Record<string, Readonly<Record<string, Json>>>> {
  const entries = Object.entries(settings.get('tools.options') ?? {});
  return Object.fromEntries(entries.map(([name, options]) => [kindNamed(name, kinds)?.kind ?? name, options]));
}

function kindNamed(name: string, kinds: ToolRegistry): ToolRegistry[number] | undefined {
  return kinds.findLast(({ kind, aliases = [] }) => kind === name || aliases.includes(name));
}

/** Returns the kinds of tools that an agent may have, with the options of this machine. */
export function toolKindsFor(settings: Settings, setup: ToolSetup): ToolRegistry {
  const builtin = toolKinds(({ conversationId }) => toolSettings(conversationId, settings, setup), setup.openPlace);
  return [...builtin, ...delegationKinds, ...(setup.kinds ?? [])];
}

/** Returns the names of the tools that the model is offered, in order. */
export function toolNames(settings: Settings): readonly string[] {
  const preset = settings.get('tools.preset') ?? 'default';
  const ofPreset: readonly string[] = Object.entries(toolPresets).find(([name]) => name === preset)?.[1] ?? [];
  const names = settings.get('tools.only') ?? ofPreset;
  const removed = settings.get('tools.remove') ?? [];
  const all = [...new Set([...names, ...(settings.get('tools.add') ?? [])])].filter((name) => !removed.includes(name));
  // Providers and people expect the tool that ends the work at the end.
  return [...all.filter((name) => name !== 'finish'), ...all.filter((name) => name === 'finish')];
}

function kindOf(name: string, kinds: ToolRegistry): ToolRegistry[number] {
  const named = kindNamed(name, kinds);
  if (named) return named;
  const similar = nearest(
    name,
    kinds.map(({ kind }) => kind),
  );
  const hint = similar === undefined ? '' : `; the nearest is "${similar}"`;
  throw new SettingsError('invalid', `There is no tool ${JSON.stringify(name.slice(0, 100))}${hint}.`);
}

function toolSettings(conversationId: string, settings: Settings, setup: ToolSetup): ToolSettings {
  const { home, env, keepsHistory, onNotice, secrets, sandbox } = setup;
  const outputDir = join(home, 'outputs', conversationId);
  return {
    terminal: {
      outputDir,
      inherit: env,
      inheritNames: settings.get('shell.environment') ?? [],
      ...(onNotice && { onNotice }),
      ...(sandbox && { sandbox: withOutputs(sandbox, outputDir) }),
      ...(secrets && { secrets: typeof secrets === 'function' ? secrets : namedSecrets(secrets) }),
    },
    memory: { store: join(home, 'memories') },
    ...(keepsHistory && { fileEditor: { historyDir: join(home, 'edits', conversationId) } }),
  };
}
