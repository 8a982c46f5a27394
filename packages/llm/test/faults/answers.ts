import type { ToolSpec } from '../../src/model-request.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import type { Fault } from '../../src/testing/script/scripted-step.ts';
import type { ProtocolName } from './fault-row.ts';

type Answer = Omit<Extract<Fault, { readonly kind: 'answer' }>, 'kind'>;

/** Key sent with every request of these scenarios, which no error may contain. */
export const key = 'sk-test-0123456789abcdef';

/** A valid reply for a retry. */
export const fine: ScriptedStep = { text: 'Fine.', usage: { input_tokens: 7, output_tokens: 2 } };

/** A reply of several pieces. */
export const long = { text: 'A reply of several pieces, none of which is the last.' };

/** A reply whose call must never run before it is complete. */
export const half = { calls: [{ name: 'grep', arguments: { pattern: 'rm -rf /tmp/some/long/path' } }] };

/** Page sent by a proxy instead of a provider. */
export const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>secret page</body></html>';

/** A tool to call. */
export const grep: ToolSpec = {
  name: 'grep',
  description: 'Searches.',
  parameters: { type: 'object', properties: { pattern: { type: 'string' } } },
};

/** A request with a tool. */
export const withTools = userRequest('Look', { tools: [grep] });

/** Returns a step with a raw response. */
export function rawResponse(answer: Answer): ScriptedStep {
  return { fault: { kind: 'answer', ...answer } };
}

/** Returns a step with an error object in the form of most providers. */
export function failing(status: number, message: string, fields: object = {}): ScriptedStep {
  return rawResponse({ status, body: { error: { message, ...fields } } });
}

/** Headers of a stream. */
export const eventStream = { 'content-type': 'text/event-stream' };

/** Returns a step with a raw stream of blocks, each followed by a blank line. */
export function streamed(...blocks: readonly string[]): ScriptedStep {
  return rawResponse({ headers: eventStream, body: blocks.map((block) => `${block}\n\n`).join('') });
}

/** Returns a line of a stream. */
export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}`;
}

/** Returns a chunk of the chat protocol. */
export function chunk(delta: object, finish: string | null = null): string {
  return data({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** End of a chat stream. */
export const done = 'data: [DONE]';

/** Returns the first block of a streamed reply: a word. */
export function word(protocol: ProtocolName, text: string): string {
  return protocol === 'chat' ? chunk({ content: text }) : data({ type: 'response.output_text.delta', delta: text });
}

/** Returns the blocks of a complete streamed reply of one word. */
export function streamedReply(protocol: ProtocolName, text: string): readonly string[] {
  if (protocol === 'chat') return [chunk({ content: text }), chunk({}, 'stop'), done];
  return [word('responses', text), data({ type: 'response.completed', response: whole('responses', text) })];
}

/** Returns a complete reply of one word, not streamed. */
export function whole(protocol: ProtocolName, text: string): Readonly<Record<string, unknown>> {
  if (protocol === 'chat') {
    return { id: 'w', choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] };
  }
  const content = [{ type: 'output_text', text }];
  return { id: 'w', status: 'completed', output: [{ type: 'message', role: 'assistant', content }] };
}
