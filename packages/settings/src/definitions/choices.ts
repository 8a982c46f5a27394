// The packages that own these names load slowly, and every command reads settings. A test compares the lists.

/** Presets of `@varve/tools/specs`. */
export const presetNames = ['default', 'planning', 'minimal'] as const;

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
