const secret = /(?:api_?key|token|password|secret|credential|authorization|access_key_id|access_key)$/i;

/** Maps in which any value may be a secret. */
const secretMaps = new Set(['env', 'headers', 'extra_headers', 'secrets', 'secret_sources']);

/**
 * Returns a copy of a configuration without its secrets: fields with the name of a secret are null, and values of
 * environments and headers are asterisks. Numbers and booleans are never secrets.
 *
 * @see agent-server 1.43.1, which sends `api_key: null` and `**********` in the same places
 */
export function withoutSecrets(json: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, cleaned(key, value)]));
}

function cleaned(key: string, value: unknown): unknown {
  if (secret.test(key) && typeof value === 'string') return null;
  if (Array.isArray(value)) return value.map((item) => cleaned('', item));
  if (typeof value !== 'object' || value === null) return value;
  if (!secretMaps.has(key)) return withoutSecrets(value);
  return Object.fromEntries(Object.keys(value).map((name) => [name, '**********']));
}
