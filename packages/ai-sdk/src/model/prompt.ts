import type {
  LanguageModelV4FilePart as FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type { WireMessage, WirePart } from '@varve/llm/kit';
import { parseJson } from '@varve/text';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type WireCall = NonNullable<WireMessage['tool_calls']>[number];

/** A part of a reply as it is stored, so that it is sent back as it came; a call is stored as its place. */
export type StoredPart =
  | Exclude<AssistantPart, { readonly type: 'tool-call' | 'tool-result' }>
  | { readonly type: 'tool-call' };

/** Marks the end of a prefix to cache, in the spelling of each provider that needs a mark. */
const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } }, bedrock: { cachePoint: { type: 'default' } } };

/** Content that a model accepts. */
interface AcceptedContent {
  /** True if its provider fetches images from any address; otherwise a note replaces them. */
  readonly fetchesImages: boolean;
  /** True for the third version, in which a file has its data without the kind. */
  readonly hasPlainFiles: boolean;
}

/** Returns the messages of a chat completion request as a prompt. */
export function promptOf(messages: readonly WireMessage[], accepted: AcceptedContent): LanguageModelV4Prompt {
  const names = new Map(messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, nameOf(call)])));
  const prompt: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    const added = promptMessages(message, names, accepted);
    const [first] = added;
    // Providers require the results of one reply in one message.
    if (last?.role === 'tool' && first?.role === 'tool') {
      const content = [...last.content, ...first.content];
      prompt[prompt.length - 1] = { ...last, ...first, content };
    } else prompt.push(...added);
  }
  return prompt;
}

function promptMessages(
  message: WireMessage,
  names: ReadonlyMap<string, string>,
  accepted: AcceptedContent,
): LanguageModelV4Prompt {
  const { role, tool_call_id: id = '' } = message;
  if (role === 'system') return partsIn(message).map((part) => ({ role, content: textIn(part), ...marksOf([part]) }));
  const marks = marksOf(partsIn(message));
  if (role === 'user') return [{ role, content: partsIn(message).map((part) => userPart(part, accepted)), ...marks }];
  if (role === 'assistant') return [{ role, content: assistantParts(message), ...marks }];
  const value = partsIn(message).map(textIn).join('\n');
  const result = { type: 'tool-result', toolCallId: id, toolName: names.get(id) ?? '' } as const;
  return [{ role, content: [{ ...result, output: { type: 'text', value } }], ...marks }];
}

function partsIn({ content }: WireMessage): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function textIn(part: WirePart): string {
  return part.type === 'text' ? part.text : '';
}

function marksOf(parts: readonly WirePart[]): { readonly providerOptions?: typeof cacheMark } {
  return parts.some((part) => part.cache_control) ? { providerOptions: cacheMark } : {};
}

function userPart(
  part: WirePart,
  { fetchesImages, hasPlainFiles }: AcceptedContent,
): FilePart | { type: 'text'; text: string } {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { url } = part.image_url;
  const [, mediaType = 'image/*', data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const isOmitted = data === undefined && !(fetchesImages && URL.canParse(url));
  if (isOmitted) return { type: 'text', text: '(1 image left out: it is not fetched.)' };
  const file: FilePart['data'] = data === undefined ? { type: 'url', url: new URL(url) } : { type: 'data', data };
  const plain = file.type === 'url' ? file.url : data;
  return { type: 'file', mediaType, data: hasPlainFiles ? (plain as unknown as FilePart['data']) : file };
}

/** A text that was changed since, for example because it is masked, is not replaced by the stored one. */
function assistantParts(message: WireMessage): AssistantPart[] {
  const calls = (message.tool_calls ?? []).map(callPart);
  const text = typeof message.content === 'string' ? message.content : '';
  const stored = storedParts(message.reasoning_details);
  const storedText = stored.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const isChanged = storedText.trim() !== text.trim();
  const parts = stored.flatMap((part): AssistantPart[] => {
    if (part.type === 'text' && isChanged) return [];
    return part.type === 'tool-call' ? calls.splice(0, 1) : [part];
  });
  const first = parts.findIndex(({ type }) => type === 'tool-call');
  const visible: AssistantPart[] = isChanged && text.trim() !== '' ? [{ type: 'text', text }] : [];
  return [...parts.toSpliced(first === -1 ? parts.length : first, 0, ...visible), ...calls];
}

/** The parts come from the log, which may be another one's. */
function storedParts(details: unknown): readonly StoredPart[] {
  return Array.isArray(details) ? details.filter(isPart) : [];
}

function isPart(part: unknown): part is StoredPart {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

function nameOf({ function: { name } }: WireCall): string {
  return name;
}

function callPart(call: WireCall): AssistantPart {
  const { arguments: json } = call.function;
  const input = parseJson(json);
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const metadata = call['extra_content'] as AssistantPart['providerOptions'];
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: nameOf(call),
    input: isObject ? input : { rawInvalidInput: json },
    ...(metadata && { providerOptions: metadata }),
  };
}
