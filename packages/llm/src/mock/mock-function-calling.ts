import { text, textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { addedUsage } from './added-usage.ts';
import { describeTools } from './describe-tools.ts';
import { propertiesOf } from './json-schema.ts';
import type { MockNotice } from './mock-notice.ts';
import { knownName, readCalls } from './read-calls.ts';
import { renderMessages, type RenderCache } from './render-messages.ts';
import { replyStream } from './reply-stream.ts';
import type { KnownNames } from './scan-parameter.ts';
import { scanReply, type ScannedReply } from './scan-reply.ts';
import { joined, splitThinking, type SplitText } from './split-thinking.ts';
import { tags } from './tags.ts';

/** How calls are asked for and read. */
export interface MockFunctionCallingOptions {
  /**
   * `one`, which is the default, ends a reply with its first call. With `many`, all calls of a reply count; then only the
   * model itself can end its reply.
   */
  readonly callsPerReply?: 'one' | 'many';
  /** Whether the instructions show a call of the first tool; yes when absent. */
  readonly example?: boolean;
  /** Told of what was put right or left out. Must not throw. */
  readonly onNotice?: (notice: MockNotice) => void;
}

/**
 * Function calling for a model that has none: tools, calls and results travel as text, and calls are read from what the
 * model writes. The model it is given never sees tools. A call that cannot be run, because a value has no end or is not of
 * its type, is told in `invalidCalls`; its text stays in the history as it was written.
 */
export function mockFunctionCalling(options: MockFunctionCallingOptions = {}): ModelWrapper {
  const { callsPerReply = 'one', example = true, onNotice } = options;
  return (model) => {
    const line: Line = {
      model,
      callsPerReply,
      example,
      notice: (notice) => onNotice?.(notice),
      cache: new WeakMap(),
      takesStops: true,
    };
    return {
      name: model.name,
      spec: { kind: 'mock-function-calling', callsPerReply, example, model: model.spec },
      capabilities: { ...model.capabilities, functionCalling: true },
      generate: (request, generateOptions = {}) => generate(line, request, generateOptions),
    };
  };
}

/** What all calls of one model share. */
interface Line {
  readonly model: LanguageModel;
  readonly callsPerReply: 'one' | 'many';
  readonly example: boolean;
  readonly notice: (notice: MockNotice) => void;
  readonly cache: RenderCache;
  /** Until the provider rejects them. */
  takesStops: boolean;
}

async function generate(line: Line, request: ModelRequest, options: GenerateOptions): Promise<ModelReply> {
  const stream = options.onDelta && replyStream(options.onDelta);
  const inner = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const tools = new Map(request.parameters.toolChoice === 'none' ? [] : request.tools.map((tool) => [tool.name, tool]));
  const first = await ask(line, request, inner);
  let reply = first.reply;
  let taken = takeApart(reply, tools, line.callsPerReply);
  // A stop string within a value cut the reply there: the rest is had by asking without.
  if (first.stops.length > 0 && isCutByStop(reply, taken, first.stops)) {
    line.notice({ kind: 'sent-again' });
    stream?.restart('A value held the text that ends replies.');
    reply = addedUsage(first.reply, await line.model.generate(rendered(line, request, []), inner));
    taken = takeApart(reply, tools, line.callsPerReply);
  }
  const whole = replyOf(reply, taken, { tools, notice: line.notice });
  stream?.end(whole.message);
  return whole;
}

/** Asks with stop strings, unless the provider rejects them; tells which were in force. */
async function ask(line: Line, request: ModelRequest, options: GenerateOptions) {
  const own = line.callsPerReply === 'one' ? [tags.functionClose, `\n${tags.result}`] : [`\n${tags.result}`];
  const stops = line.takesStops && request.tools.length > 0 ? own : [];
  try {
    return { stops, reply: await line.model.generate(rendered(line, request, stops), options) };
  } catch (error) {
    if (stops.length === 0 || !rejectsStops(error)) throw error;
    line.takesStops = false;
    line.notice({ kind: 'no-stop-strings' });
    return { stops: [], reply: await line.model.generate(rendered(line, request, []), options) };
  }
}

/** A reply that ended by itself in the middle of a value, without a stop string in it: some servers ignore them. */
function isCutByStop({ finish, message }: ModelReply, { calls }: TakenApart, stops: readonly string[]): boolean {
  const isOpen = finish === 'stop' && calls.at(-1)?.openParameter !== undefined;
  return isOpen && !stops.some((stop) => textOf(message.content).includes(stop));
}

function rejectsStops(error: unknown): boolean {
  return (
    error instanceof LlmError &&
    (error.code === 'unsupported' || error.code === 'bad-request') &&
    /\bstop\b/i.test(error.message)
  );
}

function rendered(
  { callsPerReply, example, cache }: Line,
  { messages, tools, parameters, ...rest }: ModelRequest,
  ownStops: readonly string[],
): ModelRequest {
  const { toolChoice = 'auto', ...others } = parameters;
  const instructions = tools.length > 0 ? describeTools(tools, { callsPerReply, example, toolChoice }) : undefined;
  const stop = [...(others.stop ?? []), ...ownStops];
  return {
    ...rest,
    messages: renderMessages(messages, { instructions, cache }),
    tools: [],
    parameters: { ...others, ...(stop.length > 0 && { stop }) },
  };
}

/** What a reply holds, and whether its calls stood in its reasoning. */
interface TakenApart extends ScannedReply, Pick<SplitText, 'reasoning'> {
  readonly isFromReasoning: boolean;
}

function takeApart(
  { message }: ModelReply,
  tools: ReadonlyMap<string, ToolSpec>,
  callsPerReply: 'one' | 'many',
): TakenApart {
  const split = splitThinking(textOf(message.content));
  const reasoning = joined(message.reasoning_content ?? '', split.reasoning);
  if (tools.size === 0) return { ...split, reasoning, calls: [], droppedChars: 0, isFromReasoning: false };
  const options = { knownIn: (tool: string) => namesIn(tools, tool), maxCalls: callsPerReply === 'one' ? 1 : Infinity };
  const scanned = scanReply(split.text, options);
  const isSilent = scanned.calls.length === 0 && split.text.trim() === '';
  const thought = isSilent ? scanReply(reasoning, options) : scanned;
  const isFromReasoning = isSilent && thought.calls.length > 0;
  return { ...scanned, ...(isFromReasoning && { calls: thought.calls }), reasoning, isFromReasoning };
}

/** Where a tool names its parameters, only those can come. */
function namesIn(tools: ReadonlyMap<string, ToolSpec>, tool: string): KnownNames {
  const names = Object.keys(propertiesOf(tools.get(tool)?.parameters ?? {}));
  return {
    isTool: (name) => tools.has(name),
    isParameter: (name) => names.length === 0 || knownName(name, names) !== undefined,
  };
}

function replyOf(
  reply: ModelReply,
  taken: TakenApart,
  { tools, notice }: { readonly tools: ReadonlyMap<string, ToolSpec>; readonly notice: Line['notice'] },
): ModelReply {
  const { calls, invalidCalls } = readCalls(taken.calls, { tools, replyId: reply.id, notice });
  if (taken.isFromReasoning) notice({ kind: 'call-in-reasoning' });
  if (taken.droppedChars > 0) notice({ kind: 'dropped-text', chars: taken.droppedChars });
  const { reasoning_content: _reasoning, ...rest } = reply.message;
  const message: Message = {
    ...rest,
    content: taken.text.trim() === '' ? [] : [text(taken.text)],
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(taken.reasoning !== '' && { reasoning_content: taken.reasoning }),
  };
  return {
    ...reply,
    message,
    finish: calls.length > 0 && reply.finish === 'stop' ? 'tool-calls' : reply.finish,
    ...(Object.keys(invalidCalls).length > 0 && { invalidCalls }),
  };
}
