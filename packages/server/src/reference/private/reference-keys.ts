import { providers } from '@varve/llm';
import type { Cipher } from '@varve/settings/secrets';
import { decrypted, serverKeysIn, type ServerKey } from './private-values.ts';

/** Keys in the files of a conversation of the reference. */
export interface ReferenceKeys {
  readonly keys: readonly ServerKey[];
  /** Addresses that receive no key, because only the file names them. */
  readonly withheld: readonly string[];
}

/**
 * Returns the keys that the reference encrypted in the agent of a conversation. They are not bound to their servers, so
 * whoever writes the file chooses the address: only known providers, over HTTPS, and servers that the settings of the
 * person name receive one. A text that is the JSON of a record, as earlier versions encrypted them, is no key.
 *
 * @param named Addresses in the settings and profiles of the person.
 */
export function referenceKeys(agent: unknown, cipher: Cipher, named: readonly string[]): ReferenceKeys {
  const known = new Set([...providerOrigins, ...named.flatMap((address) => URL.parse(address)?.origin ?? [])]);
  const keys = serverKeysIn(decrypted(agent, cipher)).filter(({ apiKey }) => !apiKey.startsWith('{'));
  const isKnown = ({ baseUrl }: ServerKey): boolean => known.has(URL.parse(baseUrl)?.origin ?? '');
  return {
    keys: keys.filter(isKnown),
    withheld: [...new Set(keys.filter((key) => !isKnown(key)).map(({ baseUrl }) => baseUrl))],
  };
}

const providerOrigins = Object.values(providers).flatMap(({ baseUrl }) => {
  const url = URL.parse(baseUrl);
  return url?.protocol === 'https:' ? [url.origin] : [];
});
