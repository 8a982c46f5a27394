export { loadExtensions, type ExtensionOptions, type Extensions } from './load-extensions.ts';
export type { UntrustedDirectory } from './trusted-parts.ts';
