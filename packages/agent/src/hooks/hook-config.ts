import { hookEventTypes, type HookEventType } from '@varve/events/kinds';
import * as z from 'zod';

/** Hook that is a shell command. */
export interface CommandHook {
  readonly type: 'command';
  readonly name?: string;
  /** Executed by `/bin/sh` in the workspace. */
  readonly command: string;
  /** Seconds after which it is terminated, at most 600; default 60. */
  readonly timeout?: number;
  /** Runs in the background: it blocks nothing, and its result is ignored. Default false. */
  readonly async?: boolean;
  /**
   * SHA-256 of files that the command names, by their paths relative to the workspace, as they were trusted. When one
   * of them differs, the command does not run, and blocks where a hook can block.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Directory in which it runs, absolute; default the workspace. Set for hooks of the repository around it. */
  readonly directory?: string;
}

/** Hook that is a question to the agent's model: a policy in words. It cannot run anything. */
export interface PromptHook {
  readonly type: 'prompt';
  /** Part of the usage id of its replies: `prompt-hook:NAME`. */
  readonly name?: string;
  /** Policy by which the model decides. */
  readonly prompt: string;
  /** Seconds after which it fails, at most 600; default 60. */
  readonly timeout?: number;
}

/** One hook. */
export type Hook = CommandHook | PromptHook;

/** Hooks of the calls of some tools. */
export interface HookGroup {
  /**
   * Names of tools: `*` or empty for all, a name, or a regular expression for the whole name, in slashes or recognized
   * by its special characters. Groups of events without a tool need `*` or nothing.
   */
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

/**
 * Hooks by event, each list in the order of execution. The JSON is that of the reference's `hooks.json`.
 *
 * @see software-agent-sdk openhands/sdk/hooks/config.py
 */
export type HookConfig = Readonly<Partial<Record<HookEventType, readonly HookGroup[]>>>;

/** Maximum seconds that a hook may run. */
export const maxHookSeconds = 600;

const commandHook = z.strictObject({
  type: z.literal('command'),
  name: z.string().exactOptional(),
  command: z.string().min(1),
  timeout: z.number().positive().max(maxHookSeconds).exactOptional(),
  async: z.boolean().exactOptional(),
  files: z.record(z.string(), z.string()).exactOptional(),
});
const promptHook = z.strictObject({
  type: z.literal('prompt'),
  name: z.string().exactOptional(),
  prompt: z.string().min(1),
  timeout: z.number().positive().max(maxHookSeconds).exactOptional(),
});
const hook = z.discriminatedUnion('type', [commandHook, promptHook]);
/** A hook without a type is a command. */
const typedHook = z.preprocess((value) => {
  return typeof value === 'object' && value !== null && !('type' in value) ? { type: 'command', ...value } : value;
}, hook);
const hookGroups = z.array(z.strictObject({ matcher: z.string().exactOptional(), hooks: z.array(typedHook) }));
const eventOf = new Map<string, HookEventType>(
  hookEventTypes.flatMap((type) => [
    [type, type],
    [type.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(), type],
  ]),
);

/**
 * Returns the hooks in parsed JSON: events in either spelling of the reference (`PreToolUse`, `pre_tool_use`), with or
 * without `hooks` around them.
 *
 * @throws {TypeError} naming the first invalid field, an unknown event or an event that is listed twice.
 */
export function parseHooks(json: unknown): HookConfig {
  const events = z.record(z.string(), z.unknown()).safeParse(json).data;
  if (!events) throw new TypeError('Hooks are a JSON object.');
  if (Object.keys(events).join() === 'hooks') return parseHooks(events['hooks']);
  const found: Partial<Record<HookEventType, readonly HookGroup[]>> = {};
  for (const [name, value] of Object.entries(events)) {
    const type = eventOf.get(name);
    if (type === undefined) throw new TypeError(`There is no hook event ${JSON.stringify(name.slice(0, 50))}.`);
    if (found[type]) throw new TypeError(`The hook event ${type} is listed twice.`);
    found[type] = parseGroups(type, value);
  }
  return found;
}

function parseGroups(type: HookEventType, value: unknown): readonly HookGroup[] {
  const { data, error } = hookGroups.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new TypeError(`${[type, ...(issue?.path ?? [])].join('.')} is invalid: ${issue?.message ?? 'unknown reason'}.`);
}

/** Returns the hooks of all configurations, those of earlier ones first. */
export function mergeHooks(...configs: readonly HookConfig[]): HookConfig {
  const merged = hookEventTypes.map((type) => [type, configs.flatMap((config) => config[type] ?? [])] as const);
  return Object.fromEntries(merged.filter(([, groups]) => groups.length > 0));
}

/** Reports whether a configuration has no hook. */
export function isWithoutHooks(config: HookConfig): boolean {
  return Object.values(config).every((groups) => groups.every(({ hooks }) => hooks.length === 0));
}
