import { text, textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { withEarlierUsage, errorWithEarlierUsage } from './earlier-usage.ts';
import { describeTools } from './describe-tools.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import { blankOutCode } from '../text-calls/blank-out-code.ts';
import { textCallFormats } from '../text-calls/formats/readers.ts';
import type { TextCalls } from '../text-calls/formats/text-call-format.ts';
import { mentionedCall } from '../text-calls/mentions-call.ts';
import { callsInText, unreadReply } from '../text-calls/read-text-calls.ts';
import type { MockNotice } from '../text-calls/mock-notice.ts';
import { maxSearched } from '../text-calls/max-searched.ts';
import { knownNamesOf, readCalls } from '../text-calls/read-calls.ts';
import { renderMessages, type RenderCache } from './render-messages.ts';
import { ReplyStream } from './reply-stream.ts';
import { scanReply, type ScannedReply } from '../text-calls/function-tags/scan-reply.ts';
import { joinReasoning, splitThinking, type SplitText } from '../text-calls/function-tags/split-thinking.ts';
import { tags } from '../text-calls/function-tags/tags.ts';

/** Options of {@link mockFunctionCalling}. */
export interface MockFunctionCallingOptions {
  /**
   * `one` (default) ends a reply with its first call. With `many`, all calls of a reply count, and only the model ends
   * its reply.
   */
  readonly callsPerReply?: 'one' | 'many';
  /** Adds a sample call of the first tool to the instructions; true by default. */
  readonly example?: boolean;
  /** Called for each correction or omission. Must not throw. */
  readonly onNotice?: (notice: MockNotice) => void;
}

/**
 * Adds function calling to a model that does not support it: tools, calls and results are sent as text, and calls are
 * read from the text of the reply. The wrapped model receives no tools. A call that cannot be run, because a value has
 * no end or the wrong type, is listed in `invalidCalls`; its text stays unchanged in the history.
 */
export function mockFunctionCalling(options: MockFunctionCallingOptions = {}): ModelWrapper {
  const { callsPerReply = 'one', example = true, onNotice } = options;
  return (model) => {
    const state: MockState = {
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
      generate: (request, generateOptions = {}) => generate(state, request, generateOptions),
    };
  };
}

/** State shared by all calls of one model. */
interface MockState {
  readonly model: LanguageModel;
  readonly callsPerReply: 'one' | 'many';
  readonly example: boolean;
  readonly notice: (notice: MockNotice) => void;
  readonly cache: RenderCache;
  /** True until the provider rejects stop strings. */
  takesStops: boolean;
}

async function generate(state: MockState, request: ModelRequest, options: GenerateOptions): Promise<ModelReply> {
  const stream = options.onDelta && new ReplyStream(options.onDelta);
  const inner = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const tools = new Map(request.parameters.toolChoice === 'none' ? [] : request.tools.map((tool) => [tool.name, tool]));
  const first = await generateOnce(state, request, { ...inner, mayCall: tools.size > 0 });
  let reply = first.reply;
  const { callsPerReply } = state;
  let parsed = parseReply(reply, tools, { callsPerReply, stops: first.stops });
  // A stop string inside a value or the reasoning cut the reply: repeat the request without stop strings.
  if (first.stops.length > 0 && isCutByStop(reply, parsed, first.stops)) {
    state.notice({ kind: 'sent-again' });
    stream?.restart('The reply contained a stop string.');
    reply = await generateWithoutStops(state, request, { ...inner, first: first.reply });
    parsed = parseReply(reply, tools, { callsPerReply, stops: [] });
  }
  const whole = buildReply(reply, parsed, { tools, notice: state.notice });
  stream?.end(whole.message);
  return whole;
}

/** Generates without stop strings. The result, reply or error, includes the usage of the first reply. */
async function generateWithoutStops(
  state: MockState,
  request: ModelRequest,
  { first, ...options }: GenerateOptions & { readonly first: ModelReply },
): Promise<ModelReply> {
  try {
    return withEarlierUsage(first, await state.model.generate(renderRequest(state, request, []), options));
  } catch (error) {
    throw errorWithEarlierUsage(first, error);
  }
}

/**
 * Generates with stop strings, unless the provider rejects them. Returns the reply and the stop strings that were sent.
 */
async function generateOnce(
  state: MockState,
  request: ModelRequest,
  { mayCall, ...options }: GenerateOptions & { readonly mayCall: boolean },
) {
  const stopTexts = state.callsPerReply === 'one' ? [tags.functionClose, `\n${tags.result}`] : [`\n${tags.result}`];
  const stops = state.takesStops && mayCall ? stopTexts : [];
  try {
    return { stops, reply: await state.model.generate(renderRequest(state, request, stops), options) };
  } catch (error) {
    if (stops.length === 0 || !rejectsStops(error)) throw error;
    state.takesStops = false;
    state.notice({ kind: 'no-stop-strings' });
    return { stops: [], reply: await state.model.generate(renderRequest(state, request, []), options) };
  }
}

/**
 * Returns whether a stop string ended a reply inside its only call, or where the reply only mentioned a call.
 */
function isCutByStop(
  { finish, message }: ModelReply,
  { text: visible, reasoning, calls, isFromReasoning }: ParsedReply,
  stops: readonly string[],
): boolean {
  if (!mayBeCut({ finish, message }, stops)) return false;
  const written = textOf(message.content);
  const last = calls.at(-1);
  if (!last || isFromReasoning) {
    if (visible.trim() !== '') return /<function[\s=]/.test(written);
    return reasoning.includes(tags.functionOpen) && !/<\/think(?:ing)?>\s*$/.test(written);
  }
  // Nested CDATA sections: the end of the inner one looks like the end of the value.
  const isNested = last.parameters.some((each) => each.isLiteral && each.text.includes(tags.literalOpen));
  return last.openParameter !== undefined || isNested;
}

/** Returns whether a stop string may have ended a reply. One that contains it was not cut: some servers ignore them. */
function mayBeCut({ finish, message }: Pick<ModelReply, 'finish' | 'message'>, stops: readonly string[]): boolean {
  const texts = [textOf(message.content), message.reasoning_content ?? ''];
  return finish === 'stop' && !texts.some((each) => stops.some((stop) => each.includes(stop)));
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

/** The parts of a reply. */
interface ParsedReply extends Omit<ScannedReply, 'leadingReasoning'>, Pick<SplitText, 'reasoning'> {
  /** The calls were found in the reasoning. */
  readonly isFromReasoning: boolean;
}

function parseReply(
  { message, finish }: ModelReply,
  tools: ReadonlyMap<string, ToolSpec>,
  { callsPerReply, stops }: Pick<MockState, 'callsPerReply'> & { readonly stops: readonly string[] },
): ParsedReply {
  const nothing = { calls: [], droppedChars: 0, isFromReasoning: false };
  const [written, thoughts] = [textOf(message.content), message.reasoning_content ?? ''];
  if (written.length + thoughts.length > maxSearched) return { ...nothing, text: written, reasoning: thoughts };
  const split = splitThinking(written);
  const ownReasoning = joinReasoning(thoughts, split.reasoning);
  if (tools.size === 0) return { ...nothing, text: split.text, reasoning: ownReasoning };
  const options = {
    knownIn: (tool: string) => knownNamesOf(tools, tool),
    maxCalls: callsPerReply === 'one' ? 1 : Infinity,
  };
  const scanned = scanReply(split.text, options);
  const { text: visible, calls, droppedChars } = scanned;
  const reasoning = joinReasoning(ownReasoning, scanned.leadingReasoning);
  if (calls.length > 0 || finish === 'length' || finish === 'content-filter') {
    return { text: visible, calls, droppedChars, reasoning, isFromReasoning: false };
  }
  // The end of a call in another format may be the stop string that the server has cut off.
  const endings = mayBeCut({ message, finish }, stops) ? ['', ...stops] : [''];
  const other = endings
    .map((ending) => callsInOtherFormats(visible + ending, tools))
    .find((each) => each !== undefined);
  if (other) {
    return {
      text: other.leadingText.trimEnd(),
      calls: other.calls.slice(0, options.maxCalls),
      droppedChars: 0,
      reasoning: joinReasoning(reasoning, other.reasoning ?? ''),
      isFromReasoning: false,
    };
  }
  if (visible.trim() !== '') return { text: visible, calls, droppedChars, reasoning, isFromReasoning: false };
  const reasoningCalls = scanReply(reasoning, options).calls;
  return { ...nothing, text: visible, reasoning, calls: reasoningCalls, isFromReasoning: reasoningCalls.length > 0 };
}

const otherFormats = textCallFormats.filter((format) => format !== 'function-tags');

/** Reads calls in the format on which the model was trained, which many write whatever the instructions are. */
function callsInOtherFormats(written: string, tools: ReadonlyMap<string, ToolSpec>): TextCalls | undefined {
  const originalName = toolNameLookup([...tools.values()]);
  const callText = { text: written, prose: blankOutCode(written) };
  return callsInText(callText, otherFormats, { tools, originalName, isNative: false })?.calls;
}

function buildReply(
  reply: ModelReply,
  parsed: ParsedReply,
  { tools, notice }: { readonly tools: ReadonlyMap<string, ToolSpec>; readonly notice: MockState['notice'] },
): ModelReply {
  const { calls, invalidCalls } = readCalls(parsed.calls, { tools, replyId: reply.id });
  if (parsed.isFromReasoning) notice({ kind: 'call-in-reasoning' });
  if (parsed.droppedChars > 0) notice({ kind: 'dropped-text', chars: parsed.droppedChars });
  const { reasoning_content: _reasoning, ...rest } = reply.message;
  const message: Message = {
    ...rest,
    content: parsed.text.trim() === '' ? [] : [text(parsed.text)],
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(parsed.reasoning !== '' && { reasoning_content: parsed.reasoning }),
  };
  const whole: ModelReply = {
    ...reply,
    message,
    finish: calls.length > 0 && reply.finish === 'stop' ? 'tool-calls' : reply.finish,
    ...(Object.keys(invalidCalls).length > 0 && { invalidCalls }),
  };
  const unread = calls.length === 0 && tools.size > 0 ? unreadTool(whole.message, tools) : undefined;
  return unread ? unreadReply(whole, unread) : whole;
}

/** Returns the tool of which the text of a reply, or the reasoning of one without text, seems to contain a call. */
function unreadTool(message: Message, tools: ReadonlyMap<string, ToolSpec>): ToolSpec | undefined {
  const written = textOf(message.content) || (message.reasoning_content ?? '');
  if (written.length > maxSearched) return undefined;
  const originalName = toolNameLookup([...tools.values()]);
  const name = mentionedCall({ text: written, prose: blankOutCode(written) }, (each) => tools.has(originalName(each)));
  return name === undefined ? undefined : tools.get(originalName(name));
}
