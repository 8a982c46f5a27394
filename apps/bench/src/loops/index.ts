import { aiSdkLoop } from './ai-sdk-loop.ts';
import type { Loop } from './loop.ts';
import { bufferedLoop, flatLoop, varveLoop, writesLoop } from './varve-loop.ts';

/** Every loop that is measured, by name. */
export const loops = {
  varve: varveLoop,
  writes: writesLoop,
  buffered: bufferedLoop,
  flat: flatLoop,
  aiSdk: aiSdkLoop,
} satisfies Record<string, Loop>;
