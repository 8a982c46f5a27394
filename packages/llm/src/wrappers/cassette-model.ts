import { textOf } from '@varve/events';
import type { Capabilities } from '../capabilities.ts';
import { LlmError, throwIfAborted } from '../error.ts';
import type { LanguageModel } from '../language-model.ts';
import { emitMessage } from '../track-deltas.ts';
import { redactLine } from '../redact.ts';
import type { CassetteEntry, CassetteFailure } from './cassette.ts';
import { requestDigest } from './request-digest.ts';

/** Options of {@link cassetteModel}. */
export interface CassetteModelOptions {
  /** `replayed` by default. */
  readonly name?: string;
  /** Overrides of the defaults: function calling, vision and streaming, without a known context window. */
  readonly capabilities?: Partial<Capabilities>;
  /** Secrets masked during the recording: they do not change the digest of a request. */
  readonly secrets?: readonly string[];
}

/** A model that returns recorded replies. */
export interface CassetteModel extends LanguageModel {
  /** @throws {LlmError} `script-mismatch` when an entry was not requested. */
  assertDone(): void;
}

/**
 * Creates a model that answers each request with its recorded reply or failure, without a network. Entries of the same
 * request are used in order; the last one is repeated. A request that was not recorded rejects with `script-mismatch`.
 */
export function cassetteModel(entries: readonly CassetteEntry[], options: CassetteModelOptions = {}): CassetteModel {
  const { name = 'replayed', capabilities, secrets = [] } = options;
  const byDigest = Map.groupBy(entries, ({ digest }) => digest);
  const used = new Set<CassetteEntry>();
  const next = (digest: string): CassetteEntry | undefined => {
    const matching = byDigest.get(digest) ?? [];
    const entry = matching.find((each) => !used.has(each)) ?? matching.at(-1);
    if (entry) used.add(entry);
    return entry;
  };
  const firstUnused = (): CassetteEntry | undefined => entries.find((each) => !used.has(each));
  return {
    name,
    spec: { kind: 'replayed', name },
    capabilities: { functionCalling: true, vision: true, streaming: true, ...capabilities },
    async generate(request, { signal, onDelta } = {}) {
      throwIfAborted(signal);
      const entry = next(requestDigest(request, secrets));
      if (!entry) throw mismatch(textOf(request.messages.at(-1)?.content ?? []), firstUnused(), secrets);
      if (entry.failure) throw errorOf(entry.failure);
      if (!entry.reply) throw new LlmError('script-mismatch', `The entry for "${entry.asked}" contains no reply.`);
      emitMessage(entry.reply.message, onDelta, () => throwIfAborted(signal));
      return entry.reply;
    },
    assertDone() {
      const missing = firstUnused();
      if (missing) throw new LlmError('script-mismatch', `The entry for "${missing.asked}" was not requested.`);
    },
  };
}

function mismatch(asked: string, expected: CassetteEntry | undefined, secrets: readonly string[]): LlmError {
  const other = expected ? `; the next entry is for "${expected.asked}"` : '; all entries were used';
  return new LlmError(
    'script-mismatch',
    `Nothing was recorded for the request that ends with "${redactLine(asked, secrets, 200)}"${other}.`,
  );
}

function errorOf({ code, message, ...details }: CassetteFailure): LlmError {
  return new LlmError(code, message, details);
}
