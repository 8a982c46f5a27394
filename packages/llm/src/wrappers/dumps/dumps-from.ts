import type { ModelWrapper } from '../../language-model.ts';
import { dumpCalls } from './dump-calls.ts';
import { dumpingFetch } from './dumping-fetch.ts';
import { dumpFolder, type DumpFolder, type DumpFolderOptions } from './dump-folder.ts';

/** Dumps of one model. */
export interface Dumps {
  /** For the option `fetch` of an adapter. */
  readonly fetch: typeof globalThis.fetch;
  readonly wrap: ModelWrapper;
  /** Resolves when all dumps so far are written or have failed. */
  flush(): Promise<void>;
}

/** Options of {@link dumpsFrom}. */
export interface DumpDefaults extends Partial<DumpFolderOptions> {
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Creates the dumps that an environment requests; undefined when it requests none. Variables of the reference and of
 * its fork:
 *
 * - `LLM_LOG_COMPLETIONS` into `LLM_LOG_COMPLETIONS_FOLDER`: each call, one file
 * - `OPENHANDS_DUMP_REQUEST` into `OPENHANDS_DUMP_REQUEST_DIR`: the body of each request, and each distinct context
 *   once
 * - `OPENHANDS_CAPTURE_RAW_RESPONSE` into the same folder: the body of each response
 * - `OPENHANDS_PRESERVE_REASONING_FIELD`: when off, dumps of calls contain no reasoning
 *
 * Without a folder variable, dumps are written to `path`, by default `logs/completions`.
 */
export function dumpsFrom(
  env: Readonly<Record<string, string | undefined>>,
  { fetch, path = 'logs/completions', ...defaults }: DumpDefaults = {},
): Dumps | undefined {
  const calls = isOn(env['LLM_LOG_COMPLETIONS']);
  const requests = isOn(env['OPENHANDS_DUMP_REQUEST']);
  const responses = isOn(env['OPENHANDS_CAPTURE_RAW_RESPONSE']);
  if (!calls && !requests && !responses) return undefined;
  const reasoning = env['OPENHANDS_PRESERVE_REASONING_FIELD'];
  const keepsReasoning = reasoning === undefined || reasoning === '' || isOn(reasoning);
  const folders = {
    calls: dumpFolder({ ...defaults, path: env['LLM_LOG_COMPLETIONS_FOLDER'] || path }),
    wire: dumpFolder({ ...defaults, path: env['OPENHANDS_DUMP_REQUEST_DIR'] || path }),
  };
  return {
    fetch: dumpingFetch(folders.wire, { requests, responses, ...(fetch && { fetch }) }),
    wrap: (model) =>
      dumpCalls(folders.wire, { calls: false, snapshots: requests })(
        dumpCalls(keepsReasoning ? folders.calls : withoutReasoning(folders.calls), { calls })(model),
      ),
    async flush() {
      await Promise.all([folders.calls.flush(), folders.wire.flush()]);
    },
  };
}

function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value ?? '');
}

function withoutReasoning(folder: DumpFolder): DumpFolder {
  return {
    ...folder,
    dump: (kind, model, value, secrets) =>
      folder.dump(kind, model, omitReasoning(value) as Readonly<Record<string, unknown>>, secrets),
  };
}

const reasoningFields = new Set([
  'reasoning_content',
  'reasoning_details',
  'thinking_blocks',
  'responses_reasoning_item',
]);

function omitReasoning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitReasoning);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !reasoningFields.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, omitReasoning(item)]));
}
