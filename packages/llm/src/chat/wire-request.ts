/** Marks the end of a prefix that a provider with explicit prompt caching stores. */
export interface CacheControl {
  readonly type: 'ephemeral';
}

/** Text part of a message on the wire. */
export interface WireTextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: CacheControl;
}

/** Image part of a message on the wire. */
export interface WireImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string };
  readonly cache_control?: CacheControl;
}

/** Part of a message on the wire. */
export type WirePart = WireTextPart | WireImagePart;

/** Tool call on the wire. */
export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [extra: string]: unknown;
}

/** Message on the wire. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null | readonly WirePart[];
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly reasoning_details?: unknown;
  readonly thinking_blocks?: unknown;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
}

/** Tool on the wire. */
export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/**
 * Body of a chat completion request, with the fields that this package writes.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: 'none' | 'required';
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly reasoning_effort?: string;
  readonly reasoning?: { readonly effort: string } | { readonly enabled: false };
  readonly thinking?: { readonly type: 'enabled' | 'disabled' };
  readonly enable_thinking?: boolean;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly prompt_cache_key?: string;
  readonly usage?: { readonly include: true };
  readonly stream?: true;
  readonly stream_options?: { readonly include_usage: true };
}
