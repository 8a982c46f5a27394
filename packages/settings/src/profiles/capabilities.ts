import { probeModel } from '@varve/llm';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { readJsonFile, updateJsonFile } from '../files/update-file.ts';
import { settingsPaths } from '../settings-paths.ts';

/** Time after which known capabilities are ignored: a server may have another model or context length by then. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

const capabilities = lazy(() =>
  z.object({
    contextWindow: z.exactOptional(z.number()),
    maxOutputTokens: z.exactOptional(z.number()),
    functionCalling: z.exactOptional(z.boolean()),
    vision: z.exactOptional(z.boolean()),
  }),
);

const cache = lazy(() => z.record(z.string(), z.object({ at: z.number(), found: capabilities() })));

/** Capabilities that the server of a model reported; unknown ones are absent. */
export type KnownCapabilities = z.output<ReturnType<typeof capabilities>>;

/** A model at its server. */
export interface ModelAddress {
  readonly baseUrl: string;
  /** Name at that server. */
  readonly model: string;
}

/** Capabilities of models that were queried before. The file is a cache, which may be deleted at any time. */
export interface CapabilityCache {
  /** Returns capabilities known for at most seven days. */
  known(address: ModelAddress): Promise<KnownCapabilities | undefined>;
  /** Queries a server, and stores what it reports. Stores nothing if it reports nothing. */
  probe(address: ModelAddress & { readonly apiKey?: string }): Promise<KnownCapabilities>;
}

/** Dependencies of {@link capabilityCache}. */
export interface CapabilityOptions {
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Opens the cache in varve's data directory. */
export function capabilityCache(home: string, { now, fetch }: CapabilityOptions): CapabilityCache {
  const { capabilities: path, lockFile } = settingsPaths(home);
  return {
    async known(address) {
      const entry = (await readJsonFile(path, cache()))?.[keyOf(address)];
      return entry && now() - entry.at <= maxAgeMs ? entry.found : undefined;
    },
    async probe(address) {
      const reported = await probeModel({ ...address, ...(fetch && { fetch }) });
      const { data: fields = {} } = capabilities().safeParse(reported);
      if (Object.keys(fields).length === 0) return fields;
      const entry = { at: now(), found: fields };
      await updateJsonFile(path, cache(), (before) => ({ ...before, [keyOf(address)]: entry }), { lockFile });
      return fields;
    },
  };
}

function keyOf({ baseUrl, model }: ModelAddress): string {
  return `${baseUrl} ${model}`;
}
