import type { Exposure } from '@varve/settings/secrets';
import { HTTPException } from 'hono/http-exception';

/**
 * Returns how a client wants to see secrets.
 *
 * @throws {HTTPException} 400 for an unknown value.
 * @see agent-server 1.43.1, header X-Expose-Secrets
 */
export function exposureOf(request: Request): Exposure {
  const value = request.headers.get('x-expose-secrets')?.toLowerCase();
  if (value === undefined) return 'redacted';
  if (value === 'encrypted' || value === 'true') return 'encrypted';
  if (value === 'plaintext') return 'plaintext';
  throw new HTTPException(400, { message: 'X-Expose-Secrets is encrypted or plaintext.' });
}
