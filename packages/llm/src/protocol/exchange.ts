import { LlmError } from '../error.ts';
import type { CallControl } from '../http/call-control.ts';
import type { Requester } from '../http/requester.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { emitMessage, type DeltaTracker } from '../track-deltas.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import { readFailedGeneration } from './failed-generation.ts';
import { originalNameDeltas, withOriginalNames } from './original-names.ts';
import type { PartialOutcome, Protocol, ProtocolOptions } from './protocol.ts';
import { readResponse } from './read-response.ts';
import type { WireSettings } from './wire-settings.ts';

/** State that one attempt of a call works with. */
export interface Exchange<Body extends object> {
  readonly server: Requester;
  readonly protocol: Protocol<Body>;
  readonly options: ProtocolOptions;
  readonly wire: Omit<WireSettings, 'stream'> & { readonly origin: string };
  readonly control: CallControl;
}

/**
 * Sends a request once and reads its reply.
 *
 * @throws {LlmError} for every failure, with the content, usage and cost that the server sent before it.
 */
export async function exchange<Body extends object>(
  { server, protocol, options, wire, control }: Exchange<Body>,
  request: ModelRequest,
  deltas: DeltaTracker,
): Promise<Omit<ModelReply, 'attempts'>> {
  const { model, contextWindow } = options;
  const { onDelta } = deltas;
  control.throwIfEnded();
  const startedAt = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - startedAt);
  const stream = wire.dialect.streams && (options.stream ?? onDelta !== undefined);
  const assembly = protocol.assembly(wire.dialect);
  const toolNameFor = toolNameLookup(request.tools);
  try {
    const response = await server.post(protocol.toBody(request, { ...wire, stream }), control.signal);
    const named = onDelta && originalNameDeltas(onDelta, toolNameFor);
    await readResponse(response, assembly, { ...server, control, onDelta: named?.push });
    control.throwIfEnded();
    const reply = assembly.reply({ model, origin: wire.origin, ...(contextWindow !== undefined && { contextWindow }) });
    const message = withOriginalNames(reply.message, toolNameFor);
    named?.end(message.tool_calls ?? []);
    control.throwIfEnded();
    return { ...reply, message, latencyMs: latencyMs() };
  } catch (error) {
    const partial = assembly.partial();
    const generated = control.endedBy ? undefined : readFailedGeneration(error, request, { model, ...partial });
    if (!generated) {
      const failure = attachPartial(control.endedBy ?? error, partial, model);
      throw failure instanceof LlmError ? server.errors.redactPartial(failure) : failure;
    }
    deltas.reset('The server could not read a call of the reply.');
    emitMessage(generated.message, onDelta, () => control.throwIfEnded());
    const { text: _text, reasoning: _reasoning, ...usageAndCost } = partial;
    return { ...generated, ...usageAndCost, latencyMs: latencyMs() };
  }
}

/** Adds the partial reply, unless the error has one, and the usage of the attempt to an {@link LlmError}. */
function attachPartial(error: unknown, { text, reasoning, ...usageAndCost }: PartialOutcome, model: string): unknown {
  if (!(error instanceof LlmError)) return error;
  const hasUsage = usageAndCost.usage !== undefined || usageAndCost.costUsd !== undefined;
  const hasContent = text !== '' || reasoning !== '';
  if (!hasUsage && !hasContent) return error;
  return error.with({
    ...(hasContent && { partial: error.partial ?? { text, reasoning } }),
    ...(hasUsage && { failedAttempts: [...error.failedAttempts, { model, code: error.code, ...usageAndCost }] }),
  });
}
