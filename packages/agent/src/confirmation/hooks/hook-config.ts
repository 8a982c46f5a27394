import { hookEventTypes, type HookEventType } from '@varve/events/kinds';
import * as z from 'zod';
import { lazy } from '@varve/events';

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

const commandHook = lazy(() =>
  z.strictObject({
    type: z.literal('command'),
    name: z.string().exactOptional(),
    command: z.string().min(1),
    timeout: z.number().positive().max(maxHookSeconds).exactOptional(),
    async: z.boolean().exactOptional(),
    files: z.record(z.string(), z.string()).exactOptional(),
  }),
);
const promptHook = lazy(() =>
  z.strictObject({
    type: z.literal('prompt'),
    name: z.string().exactOptional(),
    prompt: z.string().min(1),
    timeout: z.number().positive().max(maxHookSeconds).exactOptional(),
  }),
);
const hook = lazy(() => z.discriminatedUnion('type', [commandHook(), promptHook()]));
/** A hook without a type is a command. */
const typedHook = lazy(() =>
  z.preprocess((value) => {
    return typeof value === 'object' && value !== null && !('type' in value) ? { type: 'command', ...value } : value;
  }, hook()),
);
const hookGroup = lazy(() => z.strictObject({ matcher: z.string().exactOptional(), hooks: z.array(z.unknown()) }));
const eventOf = new Map<string, HookEventType>(
  hookEventTypes.flatMap((type) => [
    [type, type],
    [type.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(), type],
  ]),
);

/** Hooks of parsed JSON, and one sentence for each element that is none. */
export interface ReadHooks {
  readonly hooks: HookConfig;
  readonly problems: readonly string[];
}

/**
 * Returns the hooks in parsed JSON: events in either spelling of the reference (`PreToolUse`, `pre_tool_use`), with or
 * without `hooks` around them. An invalid hook, group or event prevents no other.
 */
export function readHooks(json: unknown): ReadHooks {
  const events = z.record(z.string(), z.unknown()).safeParse(json).data;
  if (!events) return { hooks: {}, problems: ['Hooks are a JSON object.'] };
  if (Object.keys(events).join() === 'hooks') return readHooks(events['hooks']);
  const hooks: Partial<Record<HookEventType, readonly HookGroup[]>> = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(events)) {
    const type = eventOf.get(name);
    if (type === undefined) problems.push(`There is no hook event ${JSON.stringify(name.slice(0, 50))}.`);
    else if (hooks[type]) problems.push(`The hook event ${type} is listed twice.`);
    else hooks[type] = groupsIn(value, type, problems);
  }
  return { hooks, problems };
}

/**
 * Returns the hooks in parsed JSON, all of which are valid.
 *
 * @throws {TypeError} naming the first invalid element.
 */
export function parseHooks(json: unknown): HookConfig {
  const { hooks, problems } = readHooks(json);
  const [problem] = problems;
  if (problem !== undefined) throw new TypeError(problem);
  return hooks;
}

function groupsIn(value: unknown, place: string, problems: string[]): readonly HookGroup[] {
  const [groups = []] = validIn(z.array(z.unknown()), value, { place, problems });
  return groups.flatMap((item, index) => {
    const at = `${place}.${index}`;
    return validIn(hookGroup(), item, { place: at, problems }).map(({ hooks, ...group }) => ({
      ...group,
      hooks: hooks.flatMap((one, number) => validIn(typedHook(), one, { place: `${at}.hooks.${number}`, problems })),
    }));
  });
}

/** Returns a valid value in a list, or none and its problem. */
function validIn<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  { place, problems }: { readonly place: string; readonly problems: string[] },
): readonly Value[] {
  const { data, error } = schema.safeParse(value);
  if (!error) return [data];
  const [issue] = error.issues;
  problems.push(`${[place, ...(issue?.path ?? [])].join('.')} is invalid: ${issue?.message ?? 'unknown reason'}.`);
  return [];
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
