import { isOwnedSecret } from '../secrets/secret-source.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { secretsForRun } from '../secrets/secrets-for-run.ts';

/** Secrets of a person for the agent of one conversation. */
export interface PersonSecrets {
  /** All values: they must never be stored. */
  readonly masked: readonly string[];
  /** Secrets that commands and servers may name; keys of models are not among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** All secrets by name, for references in settings. */
  readonly referable: Readonly<Record<string, string>>;
  /** Secrets that are not available, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads the secrets of a person. `modelKeys` are masked, too, and are given to no command. */
export async function personSecrets(store: SecretStore, modelKeys: readonly string[] = []): Promise<PersonSecrets> {
  const { values, problems } = await secretsForRun(store);
  const variables = Object.entries(values).filter(
    ([name, value]) => !isOwnedSecret(name) && !modelKeys.includes(value),
  );
  return {
    masked: [...modelKeys, ...Object.values(values)],
    variables: Object.fromEntries(variables),
    referable: values,
    problems,
  };
}
