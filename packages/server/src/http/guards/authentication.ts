import { checkOwnerName } from '@varve/storage/kit';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import type { Access } from '../../access.ts';
import type { ServerOptions } from '../../server-options.ts';
import { keyHeader } from '../route/route-config.ts';
import { fullKeys, keyAccess, keyCheck } from './key-check.ts';

/**
 * Returns what the sender of a request may do, by the key that it contains; undefined for an unknown sender.
 *
 * @throws {HTTPException} 503 if that cannot be determined.
 */
export type Authentication = (request: Request, key: string | undefined) => Promise<Access | undefined>;

/** Returns the authentication by the keys of a server, and then by its function. @throws {ServerError} `invalid`. */
export function authentication(
  { keys, scopedKeys = [], authenticate }: Pick<ServerOptions, 'keys' | 'scopedKeys' | 'authenticate'>,
  logger: Pick<Logger, 'error'>,
): Authentication {
  keyCheck(keys);
  for (const key of scopedKeys) checkOwnerName(key);
  const accessOf = keyAccess([...fullKeys(keys), ...scopedKeys]);
  return async ({ url, headers }, key) => {
    const known = accessOf(key ?? '');
    if (known || !authenticate) return known;
    try {
      // The key of a socket is in its first message. The body is left to the route.
      const request = new Request(url, { headers });
      if (key !== undefined) request.headers.set(keyHeader, key);
      // Programs without types return null, too.
      const access = (await authenticate(request)) ?? undefined;
      checkOwnerName(access);
      return access;
    } catch (err) {
      logger.error({ err }, 'authenticate');
      throw new HTTPException(503, { message: 'The sender of the request cannot be authenticated now.' });
    }
  };
}
