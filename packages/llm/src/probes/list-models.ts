import * as z from 'zod';
import { lazy } from '@varve/events';
import { apiRoot } from '../http/api-root.ts';
import { serverReader, type ServerReaderOptions } from './server-reader.ts';

/** Options of {@link listModels}. */
export interface ListModelsOptions extends ServerReaderOptions {
  readonly baseUrl: string;
}

const list = lazy(() => z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1).max(300) })) }));

/**
 * Returns the names of the models that a server lists; undefined if it does not answer. Never rejects because of a
 * server.
 *
 * @throws {LlmError} `bad-request` for an invalid address.
 */
export async function listModels({ baseUrl, ...options }: ListModelsOptions): Promise<readonly string[] | undefined> {
  const answer = await serverReader(options)(`${apiRoot(baseUrl)}/models`, list());
  return answer?.data.map(({ id }) => id);
}

/**
 * Tests whether a server refuses to list its models without a key. Never rejects because of a server.
 *
 * @throws {LlmError} `bad-request` for an invalid address.
 */
export async function refusesWithoutKey({
  baseUrl,
  fetch = globalThis.fetch,
  timeoutMs = 3000,
}: Omit<ListModelsOptions, 'apiKey'>): Promise<boolean> {
  const url = `${apiRoot(baseUrl)}/models`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    await response.body?.cancel();
    return response.status === 401 || response.status === 403;
  } catch {
    return false;
  }
}
