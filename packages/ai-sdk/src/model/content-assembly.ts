import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { Delta } from '@varve/llm';
import { buildReply, defaultReplyLimits, type AssembledModelReply, type ServerErrors } from '@varve/llm/kit';
import { withoutUndefined } from '@varve/text';
import type { StoredPart } from './prompt.ts';

type Metadata = SharedV4ProviderMetadata | undefined;

/** Content of a reply that can grow. */
type Part =
  | { readonly type: 'text' | 'reasoning'; text: string; metadata: Metadata }
  | { readonly type: 'tool-call'; readonly index: number; id: string; name: string; text: string; metadata: Metadata }
  | { readonly type: 'other'; readonly stored: StoredPart; readonly image: string | undefined };

type TextPart = Extract<
  LanguageModelV4StreamPart,
  { readonly id: string; readonly type: `${'text' | 'reasoning'}-${string}` }
>;

type CallPart = Extract<LanguageModelV4StreamPart, { readonly type: 'tool-call' }>;

/** Parts that are not text. */
type WholePart = Extract<LanguageModelV4StreamPart, { readonly type: 'file' | 'reasoning-file' | 'custom' }>;

/** Assembles a reply of a model of the AI SDK from the parts of its stream. */
export class ContentAssembly {
  readonly #errors: ServerErrors;
  readonly #parts: Part[] = [];
  /** Parts that grow, by their type and id. */
  readonly #open = new Map<string, Part>();
  #characters = 0;
  #calls = 0;
  #id = '';
  #model = '';
  #end: Extract<LanguageModelV4StreamPart, { readonly type: 'finish' }> | undefined;

  constructor(errors: ServerErrors) {
    this.#errors = errors;
  }

  /** Content so far. */
  get partial(): { readonly text: string; readonly reasoning: string } {
    return { text: this.#joined('text', ''), reasoning: this.#joined('reasoning', '\n\n') };
  }

  /** Adds a part of a stream and returns its deltas. @throws what a stream reports as its error; {@link LlmError}. */
  push(part: LanguageModelV4StreamPart): readonly Delta[] {
    const { type } = part;
    if (type === 'text-start' || type === 'text-delta' || type === 'text-end') return this.#pushText('text', part);
    if (type === 'reasoning-start' || type === 'reasoning-delta' || type === 'reasoning-end') {
      return this.#pushText('reasoning', part);
    }
    if (type === 'tool-input-start') {
      return part.providerExecuted === true ? [] : this.#startCall(part.id, part.toolName, part.providerMetadata);
    }
    if (type === 'tool-input-delta') return this.#growCall(part.id, part.delta);
    if (type === 'tool-call') return this.#endCall(part);
    if (type === 'file' || type === 'reasoning-file' || type === 'custom') this.#addWhole(part);
    if (type === 'error') throw part.error;
    if (type === 'response-metadata') {
      this.#id = part.id ?? this.#id;
      this.#model = part.modelId ?? this.#model;
    }
    if (type === 'finish') this.#end = part;
    return [];
  }

  /** @throws {LlmError} when there is no usable reply. */
  reply(settings: Parameters<typeof buildReply>[1]): AssembledModelReply {
    const finish = finishWord(this.#end?.finishReason);
    if (finish === '' && this.#parts.length > 0) {
      throw this.#errors.create('unavailable', 'ended its reply before it was complete.');
    }
    const calls = this.#parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
    return buildReply(
      {
        id: this.#id,
        model: this.#model,
        ...this.partial,
        reasoningDetails: this.#stored().map((part) => ({ ...part })),
        thinkingBlocks: [],
        calls: calls.map(({ id, name, text, metadata }) => ({ id, name, arguments: text, extraContent: metadata })),
        images: this.#parts.flatMap((part) => (part.type === 'other' && part.image !== undefined ? [part.image] : [])),
        finish,
        usage: this.#end && wireUsage(this.#end.usage),
        hasChoice: finish !== '',
      },
      settings,
    );
  }

  #pushText(type: 'text' | 'reasoning', { id, providerMetadata, ...rest }: TextPart): readonly Delta[] {
    const known = this.#open.get(type + id);
    const part = known?.type === type ? known : { type, text: '', metadata: undefined as Metadata };
    if (part !== known) {
      this.#parts.push(part);
      this.#open.set(type + id, part);
    }
    part.metadata = merged(part.metadata, providerMetadata);
    const delta = 'delta' in rest ? rest.delta : '';
    if (rest.type.endsWith('-end')) this.#open.delete(type + id);
    if (delta === '') return [];
    this.#count(delta.length);
    const isSeparate = type === 'reasoning' && part.text === '' && this.partial.reasoning !== '';
    part.text += delta;
    return [{ kind: type, text: isSeparate ? `\n\n${delta}` : delta }];
  }

  #startCall(id: string, name: string, metadata: Metadata): readonly Delta[] {
    this.#calls += 1;
    if (this.#calls > defaultReplyLimits.calls) throw this.#errors.overLimit('calls', defaultReplyLimits.calls);
    const part: Part = { type: 'tool-call', index: this.#calls - 1, id, name, text: '', metadata };
    this.#parts.push(part);
    this.#open.set(`tool-call${id}`, part);
    return [{ kind: 'tool-call', index: part.index, name, arguments: '' }];
  }

  #growCall(id: string, delta: string): readonly Delta[] {
    const part = this.#open.get(`tool-call${id}`);
    if (part?.type !== 'tool-call') return [];
    this.#count(delta.length);
    part.text += delta;
    return [{ kind: 'tool-call', index: part.index, arguments: delta }];
  }

  #endCall({ toolCallId: id, toolName, input, providerExecuted, providerMetadata }: CallPart): readonly Delta[] {
    if (providerExecuted === true) return [];
    const started = this.#open.has(`tool-call${id}`) ? [] : this.#startCall(id, toolName, providerMetadata);
    const part = this.#open.get(`tool-call${id}`);
    this.#open.delete(`tool-call${id}`);
    if (part?.type !== 'tool-call') return [];
    this.#count(input.length);
    const rest = input.startsWith(part.text) ? input.slice(part.text.length) : '';
    part.text = input;
    part.metadata = merged(part.metadata, providerMetadata);
    return [...started, ...(rest === '' ? [] : [{ kind: 'tool-call', index: part.index, arguments: rest } as const])];
  }

  /** Files of models of the third version are the data itself. */
  #addWhole(part: WholePart): void {
    const { type, providerMetadata: metadata } = part;
    if (type === 'custom') {
      // The start of a message is no part of it.
      if (part.kind.endsWith('.message_start')) return;
      this.#parts.push({ type: 'other', image: undefined, stored: { type, kind: part.kind, ...optionsOf(metadata) } });
      return;
    }
    const { mediaType, data: file } = part;
    const bytes = typeof file === 'object' && 'data' in file ? file.data : file;
    const isUrl = typeof file === 'object' && 'url' in file;
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString('base64');
    this.#count(text.length);
    const data = isUrl ? file : ({ type: 'data', data: text } as const);
    const url = isUrl ? String(file.url) : `data:${mediaType};base64,${text}`;
    const image = type === 'file' && mediaType.startsWith('image/') ? url : undefined;
    this.#parts.push({ type: 'other', image, stored: { type, mediaType, data, ...optionsOf(metadata) } });
  }

  /** Parts in their order; none if the fields of the message contain all of them. */
  #stored(): readonly StoredPart[] {
    const isOpaque = this.#parts.some((part) => part.type === 'other' || part.type === 'reasoning' || part.metadata);
    const isCall = this.#parts.every(({ type }) => type === 'tool-call');
    if (!isOpaque || isCall) return [];
    return this.#parts.flatMap((part): readonly StoredPart[] => {
      if (part.type === 'other') return [part.stored];
      if (part.type === 'tool-call') return [{ type: 'tool-call' }];
      const isEmpty = part.text === '' && !part.metadata;
      return isEmpty ? [] : [{ type: part.type, text: part.text, ...optionsOf(part.metadata) }];
    });
  }

  #joined(type: 'text' | 'reasoning', separator: string): string {
    return this.#parts.flatMap((part) => (part.type === type && part.text !== '' ? [part.text] : [])).join(separator);
  }

  #count(characters: number): void {
    const { characters: limit } = defaultReplyLimits;
    this.#characters += characters;
    if (this.#characters > limit) throw this.#errors.overLimit('characters', limit);
  }
}

function optionsOf(metadata: Metadata): { readonly providerOptions?: SharedV4ProviderMetadata } {
  return metadata ? { providerOptions: metadata } : {};
}

/** Later pieces add fields, such as a signature. */
function merged(before: Metadata, added: Metadata): Metadata {
  if (!before || !added) return added ?? before;
  const entries = Object.entries(added).map(([name, fields]) => [name, { ...before[name], ...fields }] as const);
  return { ...before, ...Object.fromEntries(entries) };
}

/** Returns the reason in the terms of the chat protocol; empty for a reply whose end never came. */
function finishWord(reason: LanguageModelV4FinishReason | undefined): string {
  if (!reason || reason.unified === 'interrupted') return '';
  const { unified, raw } = reason;
  if (raw === 'model_context_window_exceeded') return raw;
  if (unified === 'error') return raw ?? unified;
  return unified === 'other' ? (raw ?? '') : unified.replace('-', '_');
}

/** Returns the usage in the terms of the chat protocol. Some providers report a cost next to it. */
function wireUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): unknown {
  const { cacheRead: cached_tokens, cacheWrite: cache_write_tokens } = inputTokens;
  const details = { ...Object(raw?.['prompt_tokens_details']) } as Readonly<Record<string, unknown>>;
  return {
    prompt_tokens: inputTokens.total,
    completion_tokens: outputTokens.total,
    prompt_tokens_details: { ...details, ...withoutUndefined({ cached_tokens, cache_write_tokens }) },
    completion_tokens_details: { reasoning_tokens: outputTokens.reasoning },
    cost: raw?.['cost'],
  };
}
