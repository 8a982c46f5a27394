import type * as z from 'zod';
import { parseJson } from '@varve/text';
import { limitedText } from '../http/limited-body.ts';

/** Options of {@link serverReader}. */
export interface ServerReaderOptions {
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Longest wait; 3 seconds by default. */
  readonly timeoutMs?: number;
}

/** Reads JSON from one address of a server; undefined if it does not answer with a value of the schema. */
export type ServerReader = <T>(url: string, schema: z.ZodType<T>, body?: object) => Promise<T | undefined>;

/** Returns a function that queries a server. It never rejects because of a server. */
export function serverReader({
  apiKey,
  fetch = globalThis.fetch,
  timeoutMs = 3000,
}: ServerReaderOptions): ServerReader {
  return async (url, schema, body) => {
    const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { ...sent, headers, signal, redirect: 'error' });
      return response.ok ? schema.safeParse(parseJson(await limitedText(response, maxBytes), limits)).data : undefined;
    } catch {
      // Another kind of server, or no server: the first request reports the reason.
      return undefined;
    }
  };
}

/** The longest list of models has about a megabyte. */
const maxBytes = 8_000_000;
const limits = { depth: 100, values: 300_000 };
