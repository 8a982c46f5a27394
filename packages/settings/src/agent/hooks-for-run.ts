import { isDeepStrictEqual } from 'node:util';
import type { HookConfig } from '@varve/agent/confirmation';
import type { Json } from '@varve/events';
import { SettingsError } from '../error.ts';

/** Hooks of a resumed conversation. */
export type ResumedHooks = 'equal' | 'current' | 'trusted' | 'none';

/**
 * Returns the hooks of a run. `trusted` are those of the files, absent if none is trusted. Stored hooks do not run: a
 * conversation that has some is resumed with those of the files if they are equal (`equal`), whatever they are
 * (`current`), whatever they are if there are some (`trusted`), or without any (`none`). Undefined for an agent without
 * hooks of its own, which is not resumed if the conversation has some.
 *
 * @throws {SettingsError} `hooks-changed` with `equal`; `untrusted` with `trusted` if there are none.
 */
export function hooksForRun(
  trusted: HookConfig | undefined,
  stored: Json | undefined,
  choice: ResumedHooks = 'equal',
): HookConfig | undefined {
  if (choice === 'none') return {};
  if (!hasHooks(stored)) return trusted;
  if (choice === 'current') return trusted ?? {};
  if (choice === 'trusted') return trusted ?? refuseUntrusted();
  if (trusted === undefined) return undefined;
  // Compared as they are stored.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(trusted)), stored)) return trusted;
  throw new SettingsError(
    'hooks-changed',
    'The conversation was used with other hooks than those that are trusted now.',
  );
}

function refuseUntrusted(): never {
  throw new SettingsError(
    'untrusted',
    'The conversation was used with hooks of its workspace or its user, and none of them is trusted now.',
  );
}

function hasHooks(stored: Json | undefined): boolean {
  return typeof stored === 'object' && stored !== null && Object.keys(stored).length > 0;
}
