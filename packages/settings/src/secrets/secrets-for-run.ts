import { SettingsError } from '../error.ts';
import type { SecretStore } from './secret-store.ts';

/** Secrets that one run may use. */
export interface RunSecrets {
  /** Values by name, for the variables of commands that name them; all are masked in everything that is stored. */
  readonly values: Readonly<Record<string, string>>;
  /** Secrets that are not available, as sentences without values. */
  readonly problems: readonly string[];
}

/**
 * Reads all secrets before a run starts, also those of lookups, so that each is masked from the first event on. One
 * that is not available is a problem and stops nothing.
 */
export async function secretsForRun(store: SecretStore): Promise<RunSecrets> {
  const listed = await store.list();
  const read = await Promise.all(listed.map(async ({ name }) => ({ name, ...(await readValue(store, name)) })));
  return {
    values: Object.fromEntries(read.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    problems: read.flatMap(({ problem }) => problem ?? []),
  };
}

async function readValue(
  store: SecretStore,
  name: string,
): Promise<{ readonly value?: string | undefined; readonly problem?: string }> {
  try {
    return { value: await store.value(name) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { problem: `The secret ${name} is not available. ${error.message}` };
  }
}
