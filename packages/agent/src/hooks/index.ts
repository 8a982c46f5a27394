export { pathsInCommand, type CommandPlace } from './command-paths.ts';
export {
  maxHookSeconds,
  mergeHooks,
  parseHooks,
  type CommandHook,
  type HookConfig,
  type HookGroup,
  type Hook,
  type PromptHook,
} from './hook-config.ts';
export { loadHooks, type HookSource, type LoadedHooks, type LoadHooksOptions } from './load-hooks.ts';
