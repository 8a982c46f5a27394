import { listModels, providers } from '@varve/llm';
import { isLoopback } from '@varve/text';

/** A server on this machine that answers, with its models. */
export interface LocalServer {
  /** Name of the provider in references: `ollama`. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Options of {@link localServers}. */
export interface LocalServersOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** Longest wait for each; 1 second by default. */
  readonly timeoutMs?: number;
}

/**
 * Finds model servers at their usual ports on this machine: Ollama, LM Studio, vLLM and llama.cpp. Only those that list
 * at least one model are returned.
 */
export async function localServers({ timeoutMs = 1000, fetch }: LocalServersOptions = {}): Promise<
  readonly LocalServer[]
> {
  const local = Object.entries(providers).filter(([, { baseUrl }]) => isLoopback(baseUrl));
  const servers = await Promise.all(
    local.map(async ([provider, { baseUrl }]) => {
      const models = (await listModels({ baseUrl, timeoutMs, ...(fetch && { fetch }) })) ?? [];
      return { provider, baseUrl, models };
    }),
  );
  return servers.filter(({ models }) => models.length > 0);
}
