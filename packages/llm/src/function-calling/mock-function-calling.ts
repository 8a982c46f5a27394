import { text, textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { withEarlierUsage, errorWithEarlierUsage } from './earlier-usage.ts';
import { describeTools } from './describe-tools.ts';
import type { MockNotice } from './mock-notice.ts';
import { knownNamesOf, readCalls } from '../text-calls/read-calls.ts';
import { renderMessages, type RenderCache } from './render-messages.ts';
import { replyStream } from './reply-stream.ts';
import { scanReply, type ScannedReply } from '../text-calls/function-tags/scan-reply.ts';
import { joinReasoning, splitThinking, type SplitText } from '../text-calls/function-tags/split-thinking.ts';
import { tags } from '../text-calls/function-tags/tags.ts';

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
    const line: MockState = {
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
interface MockState {
  readonly model: LanguageModel;
  readonly callsPerReply: 'one' | 'many';
  readonly example: boolean;
  readonly notice: (notice: MockNotice) => void;
  readonly cache: RenderCache;
  /** Until the provider rejects them. */
  takesStops: boolean;
}

async function generate(line: MockState, request: ModelRequest, options: GenerateOptions): Promise<ModelReply> {
  const stream = options.onDelta && replyStream(options.onDelta);
  const inner = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const tools = new Map(request.parameters.toolChoice === 'none' ? [] : request.tools.map((tool) => [tool.name, tool]));
  const first = await generateOnce(line, request, { ...inner, mayCall: tools.size > 0 });
  let reply = first.reply;
  let taken = parseReply(reply, tools, line.callsPerReply);
  // A stop string within a value, or within thinking, cut the reply there: the rest is had by asking without.
  if (first.stops.length > 0 && isCutByStop(reply, taken, first.stops)) {
    line.notice({ kind: 'sent-again' });
    stream?.restart('The reply held the text that ends replies.');
    reply = await generateWithoutStops(line, request, { ...inner, first: first.reply });
    taken = parseReply(reply, tools, line.callsPerReply);
  }
  const whole = buildReply(reply, taken, { tools, notice: line.notice });
  stream?.end(whole.message);
  return whole;
}

/** Asks without stop strings; what the first reply used is in what comes of it. */
async function generateWithoutStops(
  line: MockState,
  request: ModelRequest,
  { first, ...options }: GenerateOptions & { readonly first: ModelReply },
): Promise<ModelReply> {
  try {
    return withEarlierUsage(first, await line.model.generate(renderRequest(line, request, []), options));
  } catch (error) {
    throw errorWithEarlierUsage(first, error);
  }
}

/** Asks with stop strings, unless the provider rejects them; tells which were in force. */
async function generateOnce(
  line: MockState,
  request: ModelRequest,
  { mayCall, ...options }: GenerateOptions & { readonly mayCall: boolean },
) {
  const own = line.callsPerReply === 'one' ? [tags.functionClose, `\n${tags.result}`] : [`\n${tags.result}`];
  const stops = line.takesStops && mayCall ? own : [];
  try {
    return { stops, reply: await line.model.generate(renderRequest(line, request, stops), options) };
  } catch (error) {
    if (stops.length === 0 || !rejectsStops(error)) throw error;
    line.takesStops = false;
    line.notice({ kind: 'no-stop-strings' });
    return { stops: [], reply: await line.model.generate(renderRequest(line, request, []), options) };
  }
}

/**
 * Whether a stop string ended a reply where its only call was not over, or was only thought or spoken of. A reply that holds
 * a stop string was not cut: some servers ignore them.
 */
function isCutByStop(
  { finish, message }: ModelReply,
  { text: said, reasoning, calls, isFromReasoning }: ParsedReply,
  stops: readonly string[],
): boolean {
  const written = textOf(message.content);
  const thought = message.reasoning_content ?? '';
  if (finish !== 'stop' || [written, thought].some((each) => stops.some((stop) => each.includes(stop)))) return false;
  const last = calls.at(-1);
  if (!last || isFromReasoning) {
    if (said.trim() !== '') return written.includes(tags.functionOpen);
    return reasoning.includes(tags.functionOpen) && !/<\/think(?:ing)?>\s*$/.test(written);
  }
  // A section in a section: the inner one's end looks like that of the value.
  const isNested = last.parameters.some((each) => each.isLiteral && each.text.includes(tags.literalOpen));
  return last.openParameter !== undefined || isNested;
}

function rejectsStops(error: unknown): boolean {
  return (
    error instanceof LlmError &&
    (error.code === 'unsupported' || error.code === 'bad-request') &&
    /\bstop\b/i.test(error.message)
  );
}

function renderRequest(
  { callsPerReply, example, cache }: MockState,
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
interface ParsedReply extends Omit<ScannedReply, 'leadingReasoning'>, Pick<SplitText, 'reasoning'> {
  readonly isFromReasoning: boolean;
}

function parseReply(
  { message, finish }: ModelReply,
  tools: ReadonlyMap<string, ToolSpec>,
  callsPerReply: 'one' | 'many',
): ParsedReply {
  const split = splitThinking(textOf(message.content));
  const thought = joinReasoning(message.reasoning_content ?? '', split.reasoning);
  const nothing = { calls: [], droppedChars: 0, isFromReasoning: false };
  if (tools.size === 0) return { ...nothing, text: split.text, reasoning: thought };
  const options = {
    knownIn: (tool: string) => knownNamesOf(tools, tool),
    maxCalls: callsPerReply === 'one' ? 1 : Infinity,
  };
  const scanned = scanReply(split.text, options);
  const { text: said, calls, droppedChars } = scanned;
  const reasoning = joinReasoning(thought, scanned.leadingReasoning);
  if (calls.length > 0 || said.trim() !== '' || isCutOff(finish)) {
    return { text: said, calls, droppedChars, reasoning, isFromReasoning: false };
  }
  const inThought = scanReply(reasoning, options).calls;
  return { ...nothing, text: said, reasoning, calls: inThought, isFromReasoning: inThought.length > 0 };
}

function isCutOff(finish: ModelReply['finish']): boolean {
  return finish === 'length' || finish === 'content-filter';
}

function buildReply(
  reply: ModelReply,
  taken: ParsedReply,
  { tools, notice }: { readonly tools: ReadonlyMap<string, ToolSpec>; readonly notice: MockState['notice'] },
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
