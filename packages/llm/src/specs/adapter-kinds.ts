import { definePartKind } from '@varve/events/specs';
import { openaiChat } from '../chat/openai-chat.ts';
import { LlmError } from '../error.ts';
import type { LanguageModel } from '../language-model.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import { keyForServer } from '../providers/model-from.ts';
import { openaiResponses } from '../responses/openai-responses.ts';
import { adapterOptions, responsesOptions } from './adapter-options.ts';
import type { ModelContext, ModelKind, ModelKindsOptions } from './model-kind.ts';
import type * as z from 'zod';
import { withoutUndefined } from '@varve/text';

/** Returns the kinds of models that call a server. */
export function adapterKinds(application: ModelKindsOptions): readonly ModelKind[] {
  const { wrap = (model) => model } = application;
  return [
    definePartKind({
      kind: 'openai-chat',
      options: adapterOptions,
      create: ({ client, ...options }, _context: ModelContext): LanguageModel =>
        wrap(chatModel({ ...options, ...connection({ ...options, client }, application) }, application)),
    }),
    definePartKind({
      kind: 'openai-responses',
      options: responsesOptions,
      create: ({ client, ...options }, _context: ModelContext): LanguageModel =>
        wrap(openaiResponses({ ...options, ...connection({ ...options, client }, application) })),
    }),
  ];
}

function chatModel(options: ProtocolOptions, { native }: ModelKindsOptions): LanguageModel {
  return native?.(options) ?? openaiChat(options);
}

type Connection = Pick<ProtocolOptions, 'apiKey' | 'headers' | 'fetch' | 'client' | 'onPromptCut' | 'onDialectChange'>;

/** Returns what a spec does not contain: credentials, and the functions of the application. */
function connection(
  {
    baseUrl,
    model,
    headers: names,
    client,
  }: Pick<z.output<ReturnType<typeof adapterOptions>>, 'baseUrl' | 'model' | 'headers'> & {
    readonly client: 'application' | undefined;
  },
  application: ModelKindsOptions,
): Connection & { readonly headers: NonNullable<Connection['headers']> } {
  if (client !== undefined) throw new LlmError('bad-request', 'it was created with a client of the application.');
  const { keys, fetch, onPromptCut, onDialectChange } = application;
  const credentials = application.credentials?.({ baseUrl, model, headers: names ?? [] });
  const headers = storedHeaders(names ?? [], credentials?.headers ?? {});
  // A header may contain the key.
  const apiKey = credentials?.apiKey ?? (Object.keys(headers).length > 0 ? undefined : keyForServer(baseUrl, keys));
  return {
    headers,
    ...withoutUndefined({ apiKey, fetch, onPromptCut, onDialectChange }),
  };
}

/** Returns the headers under their stored names. @throws {LlmError} `unauthenticated` for one without a value. */
function storedHeaders(
  names: readonly string[],
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const entries = names.map((name) => {
    const value = values.get(name.toLowerCase());
    if (value === undefined) throw new LlmError('unauthenticated', `The value of the header ${name} is not stored.`);
    values.delete(name.toLowerCase());
    return [name, value] as const;
  });
  return Object.fromEntries([...entries, ...values]);
}
