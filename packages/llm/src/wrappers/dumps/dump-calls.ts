import { LlmError } from '../../error.ts';
import type { ModelWrapper } from '../../language-model.ts';
import { wrappedModel } from '../../wrapped-model.ts';
import type { ModelRequest } from '../../model-request.ts';
import { requestDigest } from '../request-digest.ts';
import type { DumpFolder } from './dump-folder.ts';

/** Options of {@link dumpCalls}. */
export interface DumpCallOptions {
  /** Request and reply or failure, one file for each call. */
  readonly calls?: boolean;
  /** The messages and tools as they were formatted for the model, each distinct request once, named by its digest. */
  readonly snapshots?: boolean;
}

/**
 * Dumps each call in the form that the wrapped model receives: around mock function calling, tool calls are calls;
 * inside it, they are text.
 */
export function dumpCalls(folder: DumpFolder, { calls = true, snapshots = false }: DumpCallOptions = {}): ModelWrapper {
  return (model) =>
    wrappedModel(model, async (request, options) => {
      if (snapshots) dumpSnapshot(folder, request);
      if (!calls) return model.generate(request, options);
      const startedAt = performance.now();
      const dump = (kind: 'call' | 'error', outcome: object): void => {
        const durationMs = Math.round(performance.now() - startedAt);
        folder.dump(kind, model.name, { model: model.name, spec: model.spec, request, durationMs, ...outcome });
      };
      try {
        const reply = await model.generate(request, options);
        dump('call', { reply });
        return reply;
      } catch (error) {
        dump('error', { error: errorRecord(error) });
        throw error;
      }
    });
}

function dumpSnapshot(folder: DumpFolder, request: ModelRequest): void {
  const digest = requestDigest(request);
  const { messages, tools, parameters } = request;
  folder.dumpOnce(`snapshot-${digest.slice(0, 32)}`, { digest, messages, tools, parameters });
}

function errorRecord(error: unknown): object {
  if (!(error instanceof LlmError)) return { message: String(error) };
  const { code, message, status, retryAfterMs, partial, failedAttempts } = error;
  return { code, message, status, retryAfterMs, partial, failedAttempts };
}
