export { pathsInCommand } from './command-paths.ts';
export { mergeHooks, parseHooks, type HookConfig, type HookGroup, type Hook } from './hook-config.ts';
export { loadHooks, type HookSource } from './load-hooks.ts';
