import type { Loop } from './loop.ts';

/** Every loop that is measured, by name. A process loads only the one that it runs. */
export const loops = {
  varve: async () => (await import('./varve-loop.ts')).varveLoop,
  writes: async () => (await import('./varve-loop.ts')).writesLoop,
  mock: async () => (await import('./varve-loop.ts')).mockLoop,
  aiSdk: async () => (await import('./ai-sdk-loop.ts')).aiSdkLoop,
} satisfies Record<string, () => Promise<Loop>>;
