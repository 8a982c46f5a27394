/** Ends of the names of fields that hold a secret. */
const secretName = /(?:api_?key|token|password|secret|credential|authorization|access_key_id|access_key)$/i;

/** Names of maps in which any value may be a secret. */
const secretMaps = new Set(['env', 'headers', 'extra_headers', 'secrets', 'secret_sources']);

/**
 * Returns a copy of a configuration without the secrets that are known by the names of their fields: such a field is
 * null, and values of environments and headers are `replacement`. Numbers and booleans are not secrets.
 */
export function redactSecretFields(json: object, replacement: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, redacted(name, value, replacement)]));
}

function redacted(name: string, value: unknown, replacement: string): unknown {
  if (secretName.test(name) && typeof value === 'string') return null;
  if (Array.isArray(value)) return value.map((item) => redacted('', item, replacement));
  if (typeof value !== 'object' || value === null) return value;
  if (!secretMaps.has(name)) return redactSecretFields(value, replacement);
  return Object.fromEntries(Object.keys(value).map((key) => [key, replacement]));
}
