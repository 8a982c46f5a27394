import * as z from 'zod';
import { lazy } from '@varve/events';

// The packages that own these names load slowly, and every command reads settings. A test compares the lists.

/** Presets of `@varve/tools`. */
export const presetNames = ['default', 'planning', 'react', 'minimal'] as const;

/** Kinds of `@varve/condensers`. */
export const condenserNames = [
  'no-condensation',
  'rolling-window',
  'amortized',
  'recent',
  'conversation-window',
  'discard-all',
  'observation-masking',
  'browser-masking',
  'llm-summary',
  'structured-summary',
  'llm-attention',
  'in-order',
] as const;

/** Names of the confirmation policies, and the earlier names of two of them. */
export const confirmationNames = lazy(() =>
  z
    .enum(['plan', 'ask', 'edits', 'auto', 'never', 'always', 'risky'])
    .transform((name) => (name === 'always' ? 'ask' : name === 'risky' ? 'auto' : name)),
);

/** Levels of the server's log, the quietest first. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** Profiles of the sandbox; `auto` is `workspace` where there is a sandbox, and `off` elsewhere. */
export const sandboxNames = ['auto', 'read-only', 'workspace', 'off'] as const;
