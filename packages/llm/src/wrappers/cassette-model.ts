import { textOf } from '@varve/events';
import type { Capabilities } from '../capabilities.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import { messageDeltas } from '../delta.ts';
import type { ModelReply } from '../model-reply.ts';
import { redactLine } from '../redact.ts';
import type { CassetteEntry, CassetteFailure } from './cassette.ts';
import { requestDigest } from './request-digest.ts';

/** What a replayed model says of itself. */
export interface CassetteModelOptions {
  /** `replayed` when absent. */
  readonly name?: string;
  /** Overrides: function calling, vision and streaming, without a known window. */
  readonly capabilities?: Partial<Capabilities>;
  /** Those that were given when recording: the same request is found whichever of them it holds. */
  readonly secrets?: readonly string[];
}

/** A model that answers from a cassette. */
export interface CassetteModel extends LanguageModel {
  /** @throws {LlmError} `script-mismatch` when an entry was never asked for. */
  assertDone(): void;
}

/**
 * Answers each request with what was recorded for it, without a network: the first entry first, and the last one again when
 * the same request comes more often. A request that was not recorded rejects with `script-mismatch`.
 */
export function cassetteModel(entries: readonly CassetteEntry[], options: CassetteModelOptions = {}): CassetteModel {
  const { name = 'replayed', capabilities, secrets = [] } = options;
  const left = Map.groupBy(entries, ({ digest }) => digest);
  const played = new Set<CassetteEntry>();
  const next = (digest: string): CassetteEntry | undefined => {
    const fitting = left.get(digest) ?? [];
    const entry = fitting.find((each) => !played.has(each)) ?? fitting.at(-1);
    if (entry) played.add(entry);
    return entry;
  };
  const unplayed = (): CassetteEntry | undefined => entries.find((each) => !played.has(each));
  return {
    name,
    spec: { kind: 'replayed', name },
    capabilities: { functionCalling: true, vision: true, streaming: true, ...capabilities },
    async generate(request, { signal, onDelta } = {}) {
      checkAborted(signal);
      const entry = next(requestDigest(request, secrets));
      if (!entry) throw mismatch(textOf(request.messages.at(-1)?.content ?? []), unplayed(), secrets);
      if (entry.failure) throw errorOf(entry.failure);
      if (!entry.reply) throw new LlmError('script-mismatch', `The entry for "${entry.asked}" holds no reply.`);
      emitDeltas(entry.reply, { ...(signal && { signal }), ...(onDelta && { onDelta }) });
      return entry.reply;
    },
    assertDone() {
      const missing = unplayed();
      if (missing) throw new LlmError('script-mismatch', `The entry for "${missing.asked}" was never asked for.`);
    },
  };
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
}

function mismatch(asked: string, expected: CassetteEntry | undefined, secrets: readonly string[]): LlmError {
  const other = expected ? `; the next entry was asked "${expected.asked}"` : '; all entries were played';
  return new LlmError(
    'script-mismatch',
    `Nothing was recorded for the request that ends with "${redactLine(asked, secrets, 200)}"${other}.`,
  );
}

function errorOf({ code, message, ...details }: CassetteFailure): LlmError {
  return new LlmError(code, message, details);
}

function emitDeltas({ message }: ModelReply, { signal, onDelta }: GenerateOptions): void {
  if (!onDelta) return;
  for (const delta of messageDeltas(message)) {
    checkAborted(signal);
    onDelta(delta);
  }
  checkAborted(signal);
}
