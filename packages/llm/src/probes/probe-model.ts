import type { z } from 'zod';
import { isLoopback } from '../is-loopback.ts';
import { apiRoot } from '../http/api-root.ts';
import { listedModel, llamaProps, lmStudioModel, ollamaModel, type ProbedCapabilities } from './server-answers.ts';

/** Which model of which server is asked about. */
export interface ProbeOptions {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Longest wait; 3 seconds when absent. */
  readonly timeoutMs?: number;
}

/**
 * What a server itself says of a model, from its list of models, and of a server on this machine what Ollama, LM Studio and
 * llama.cpp tell at addresses of their own. Nothing for what it does not say, or when it cannot be asked; never rejects for
 * what a server does.
 *
 * @throws {LlmError} `bad-request` for an address that is none.
 * @see https://docs.ollama.com/api/show and https://lmstudio.ai/docs/developer/rest
 */
export async function probeModel(options: ProbeOptions): Promise<ProbedCapabilities> {
  const root = apiRoot(options.baseUrl);
  const server = root.replace(/\/v1$/, '');
  const { model } = options;
  const ask = serverReader(options);
  const own = isLoopback(root)
    ? [
        ask(`${server}/props`, llamaProps),
        ask(`${server}/api/v0/models`, lmStudioModel(model)),
        ask(`${server}/api/show`, ollamaModel, { model }),
      ]
    : [];
  const found = await Promise.all([ask(`${root}/models`, listedModel(model)), ...own]);
  return Object.assign({}, ...found) as ProbedCapabilities;
}

type Reader = z.ZodType<ProbedCapabilities>;

function serverReader({ apiKey, fetch = globalThis.fetch, timeoutMs = 3000 }: ProbeOptions) {
  return async (url: string, reader: Reader, body?: object): Promise<ProbedCapabilities> => {
    const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { ...sent, headers, signal, redirect: 'error' });
      return response.ok ? (reader.safeParse(await response.json()).data ?? {}) : {};
    } catch {
      // A server that is another one, or none, says nothing; the first request will tell why.
      return {};
    }
  };
}
