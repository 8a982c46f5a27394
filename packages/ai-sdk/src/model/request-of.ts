import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { text, type Content, type Message } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { ModelParameters, ModelRequest } from '@varve/llm';
import { withoutUndefined } from '@varve/text';

type PromptMessage = LanguageModelV4CallOptions['prompt'][number];
type Part = Exclude<PromptMessage['content'], string>[number];
type Output = Extract<Part, { readonly type: 'tool-result' }>['output'];

/** Returns a call of the AI SDK as a request. Parameters and parts that no varve model has are left out. */
export function requestOf(options: LanguageModelV4CallOptions): ModelRequest {
  const { prompt, tools = [], toolChoice: choice, temperature, topP, maxOutputTokens, seed, stopSequences } = options;
  const offered = tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []));
  const isChosen = ({ name }: { readonly name: string }): boolean =>
    choice?.type !== 'tool' || name === choice.toolName;
  const toolChoice = choice?.type === 'tool' ? 'required' : choice?.type;
  const reasoningEffort = effortOf(options.reasoning);
  return {
    messages: prompt.flatMap(messagesOf),
    tools: offered.filter(isChosen).map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      parameters: { ...inputSchema },
    })),
    parameters: withoutUndefined({
      temperature,
      topP,
      maxOutputTokens,
      seed,
      stop: stopSequences,
      toolChoice,
      reasoningEffort,
    }),
  };
}

function effortOf(reasoning: LanguageModelV4CallOptions['reasoning']): ModelParameters['reasoningEffort'] {
  if (reasoning === 'provider-default') return undefined;
  return reasoning === 'xhigh' || reasoning === 'max' ? 'high' : reasoning;
}

function messagesOf(message: PromptMessage): readonly Message[] {
  const { role, content } = message;
  if (role === 'system') return [{ role, content: [text(content)], thinking_blocks: [] }];
  if (role === 'user') return [{ role, content: content.flatMap(contentOf), thinking_blocks: [] }];
  if (role === 'assistant') return [assistantMessage(content)];
  return content.flatMap((part): readonly Message[] => {
    if (part.type !== 'tool-result') return [];
    const { toolCallId, toolName: name, output } = part;
    return [{ role, tool_call_id: toolCallId, name, content: outputOf(output), thinking_blocks: [] }];
  });
}

/** The message of a reply is sent back as it was; another system may have written the parts. */
function assistantMessage(parts: readonly Part[]): Message {
  for (const { providerOptions } of parts) {
    const { data: stored } = MessageEvent.fields.llm_message.safeParse(providerOptions?.['varve']?.['message']);
    if (stored?.role === 'assistant') return stored;
  }
  const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n\n');
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  return {
    role: 'assistant',
    content: parts.flatMap(contentOf),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ toolCallId: id, toolName: name, input }) => ({
        id,
        name,
        arguments: JSON.stringify(input ?? {}),
        origin: 'completion' as const,
      })),
    }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    thinking_blocks: [],
  };
}

function contentOf(part: Part | { readonly type: string }): readonly Content[] {
  if (part.type === 'text' && 'text' in part) return [text(part.text)];
  if (part.type !== 'file' || !('data' in part) || !('mediaType' in part)) return [];
  const { data: file, mediaType } = part;
  if (typeof file !== 'object' || !('type' in file)) return [];
  if (file.type === 'text') return [text(file.text)];
  if (file.type === 'reference') return [];
  const url = file.type === 'url' ? file.url.href : `data:${mediaType};base64,${base64Of(file.data)}`;
  return [{ type: 'image', image_urls: [url], cache_prompt: false }];
}

function base64Of(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}

function outputOf(output: Output): readonly Content[] {
  if (output.type === 'content') return output.value.flatMap(contentOf);
  if (output.type === 'execution-denied') return [text(output.reason ?? 'The user did not allow this call.')];
  return [text(typeof output.value === 'string' ? output.value : JSON.stringify(output.value))];
}
