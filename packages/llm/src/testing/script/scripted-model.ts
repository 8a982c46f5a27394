import { text, type Message } from '@varve/events';
import type { Capabilities } from '../../capabilities.ts';
import { LlmError, throwIfAborted, type LlmErrorCode } from '../../error.ts';
import type { GenerateOptions, LanguageModel } from '../../language-model.ts';
import type { ModelReply } from '../../model-reply.ts';
import type { ModelRequest } from '../../model-request.ts';
import { eightCharChunks, turnDeltas, type Split } from './turn-deltas.ts';
import { noTools, promptedTurn } from './prompted-turn.ts';
import { script, type CompleteTurn } from './script.ts';
import type { ScriptedStep } from './scripted-step.ts';
import { scriptedUsage } from './scripted-usage.ts';

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** `scripted` by default. */
  readonly name?: string;
  /** Overrides of the defaults: function calling, vision and streaming, without a known context window. */
  readonly capabilities?: Partial<Capabilities>;
  readonly split?: Split;
  /**
   * Simulates a model without function calling: rejects tools, writes calls into its text, ends before stop strings.
   */
  readonly prompted?: boolean;
}

/** A model that replies from a script, and records its requests. */
export interface ScriptedModel extends LanguageModel {
  /** Requests in the order they were received; the same objects. */
  readonly requests: readonly ModelRequest[];
  /** @throws {LlmError} `script-mismatch` when a request did not match its step, or a step was not requested. */
  assertDone(): void;
}

/**
 * Creates a model that answers the n-th request with the n-th step, immediately and without a network: for tests,
 * examples and experiments. A request without a step, or one that its step does not expect, rejects with
 * `script-mismatch`.
 */
export function scriptedModel(scripted: Iterable<ScriptedStep>, options: ScriptedModelOptions = {}): ScriptedModel {
  const { name = 'scripted', capabilities, split = eightCharChunks, prompted: isPrompted = false } = options;
  const steps = script(scripted);
  const requests: ModelRequest[] = [];
  return {
    name,
    spec: { kind: 'scripted', name },
    capabilities: { functionCalling: !isPrompted, vision: true, streaming: true, ...capabilities },
    requests,
    assertDone: () => steps.assertDone(),
    async generate(request, generateOptions = {}) {
      throwIfAborted(generateOptions.signal);
      requests.push(request);
      if (isPrompted && request.tools.length > 0) throw new LlmError('unsupported', noTools);
      const next = await steps.next(request);
      const turn = isPrompted ? promptedTurn(next, request.parameters.stop) : next;
      await turn.gate;
      await emitTurn(turn, split, generateOptions);
      return replyOf(turn, name);
    },
  };
}

/** Emits the deltas of the turn up to its fault, then fails as the turn specifies. */
async function emitTurn(turn: CompleteTurn, split: Split, { signal, onDelta }: GenerateOptions): Promise<void> {
  const { fault, error } = turn;
  if (error) throw new LlmError(error.code, error.message ?? `The script fails with ${error.code}.`, waitOf(error));
  if (fault?.kind === 'answer') throw new LlmError('script-mismatch', 'Only a scripted server can send a raw answer.');
  for (const delta of onDelta ? turnDeltas(turn, split).slice(0, fault?.afterPieces) : []) {
    throwIfAborted(signal);
    onDelta?.(delta);
  }
  throwIfAborted(signal);
  if (fault?.kind === 'hang') await rejectOnAbort(signal);
  if (fault) throw new LlmError('unavailable', 'The script interrupts its reply.');
  const problem = problemOf(turn);
  if (problem) throw new LlmError(problem, `The reply of the script is ${problem}.`);
}

function waitOf({ retryAfterMs }: { readonly retryAfterMs?: number }): { readonly retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** Returns the error code of a turn without text and calls, as with every other model. */
function problemOf({ text: visible = '', reasoning = '', calls, finish }: CompleteTurn): LlmErrorCode | undefined {
  if (visible.trim() !== '' || calls.length > 0) return undefined;
  if (finish === 'length') return 'truncated';
  if (finish === 'content-filter') return 'refused';
  return reasoning === '' ? 'empty' : undefined;
}

async function rejectOnAbort(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  throwIfAborted(signal);
}

function replyOf(turn: CompleteTurn, model: string): ModelReply {
  return {
    id: turn.id,
    model,
    message: messageOf(turn),
    finish: turn.finish ?? (turn.calls.length > 0 ? 'tool-calls' : 'stop'),
    ...(turn.usage && { usage: scriptedUsage(turn.usage) }),
    ...(turn.costUsd !== undefined && { costUsd: turn.costUsd }),
    latencyMs: 0,
    attempts: 1,
  };
}

function messageOf({ text: visible = '', reasoning = '', calls }: CompleteTurn): Message {
  return {
    role: 'assistant',
    content: visible.trim() === '' ? [] : [text(visible)],
    ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ ...call, origin: 'completion' as const })) }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    thinking_blocks: [],
  };
}
