import type * as z from 'zod';
import { exceededJsonLimit, isLoopback } from '@varve/text';
import { apiRoot } from '../http/api-root.ts';
import { limitedText } from '../http/limited-body.ts';
import { listedModel, llamaProps, lmStudioModel, ollamaModel, type ProbedCapabilities } from './server-answers.ts';

/** Options of {@link probeModel}. */
export interface ProbeOptions {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Longest wait; 3 seconds by default. */
  readonly timeoutMs?: number;
}

/**
 * Queries a server for the capabilities of a model: its list of models and, on this machine, the addresses of Ollama,
 * LM Studio and llama.cpp. Unknown capabilities are absent, as are all of them when the server does not answer. Never
 * rejects because of a server.
 *
 * @throws {LlmError} `bad-request` for an invalid address.
 * @see https://docs.ollama.com/api/show and https://lmstudio.ai/docs/developer/rest
 */
export async function probeModel(options: ProbeOptions): Promise<ProbedCapabilities> {
  const root = apiRoot(options.baseUrl);
  const server = root.replace(/\/v1$/, '');
  const { model } = options;
  const read = serverReader(options);
  const own = isLoopback(root)
    ? [
        read(`${server}/props`, llamaProps),
        read(`${server}/api/v0/models`, lmStudioModel(model)),
        read(`${server}/api/show`, ollamaModel, { model }),
      ]
    : [];
  const found = await Promise.all([read(`${root}/models`, listedModel(model)), ...own]);
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
      return response.ok ? (reader.safeParse(parseList(await limitedText(response, maxBytes))).data ?? {}) : {};
    } catch {
      // Another kind of server, or no server: the first request reports the reason.
      return {};
    }
  };
}

/** The longest list of models has about a megabyte. */
const maxBytes = 8_000_000;
const limits = { depth: 100, values: 300_000 };

/** @throws {SyntaxError} for text that is not JSON. */
function parseList(json: string | undefined): unknown {
  return json === undefined || exceededJsonLimit(json, limits) ? undefined : JSON.parse(json);
}
