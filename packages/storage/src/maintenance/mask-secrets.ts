import { redactor } from '@varve/text';
import { StorageError } from '../contract/error.ts';

/** Shorter secrets are found in text that is not secret. */
const shortest = 6;

/**
 * Returns a function that replaces secrets in the source text of JSON by asterisks, as many as the secret has bytes
 * there, so that the text stays JSON of the same shape and length.
 *
 * @throws {StorageError} `invalid` for a secret of fewer than six characters; when the function is called, for a text
 * that would not be JSON any more.
 */
export function maskSecrets(secrets: readonly string[]): (json: string) => string {
  if (secrets.some((secret) => secret.length < shortest)) {
    throw new StorageError(
      'invalid',
      `A secret of fewer than ${shortest} characters cannot be distinguished from other text.`,
    );
  }
  const { jsonText } = redactor(secrets, { replacement: (match) => '*'.repeat(Buffer.byteLength(match)) });
  return (json) => {
    const masked = jsonText(json);
    if (masked !== json && isJson(json) && !isJson(masked)) {
      throw new StorageError('invalid', 'A secret is more than a part of a text, so it cannot be masked.');
    }
    return masked;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
