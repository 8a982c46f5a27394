import * as z from 'zod';
import { lazy } from '@varve/events';
import { isToken, type Cipher } from './fernet.ts';

/** Name of a secret: also the name of the variable in the shell. */
export const secretName = lazy(() => z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/));

/** Prefix of the secrets that are keys of models, which clients of the server set in other records. */
export const modelKeyPrefix = 'LLM_KEY_';

/** Prefix of the secrets that are values of MCP servers, which clients of the server set in other records. */
export const mcpSecretPrefix = 'MCP_VALUE_';

/** Tests whether a secret belongs to another record: people do not name it, and commands do not receive it. */
export function isOwnedSecret(name: string): boolean {
  return name.startsWith(modelKeyPrefix) || name.startsWith(mcpSecretPrefix);
}

const text = lazy(() => z.string().max(64 * 1024));
const description = lazy(() => z.nullish(z.string().max(1000)).transform((value) => value ?? undefined));

/**
 * Schemas of the sources of a secret, as the reference and its clients write them: a value, or an address from which
 * the value is read.
 *
 * @see software-agent-sdk StaticSecret, LookupSecret
 */
const staticSecret = lazy(() =>
  z.object({ kind: z.literal('StaticSecret'), value: text().min(1), description: description() }),
);
const lookupSecret = lazy(() =>
  z.object({
    kind: z.literal('LookupSecret'),
    url: z.string().max(2000),
    headers: z.record(z.string().max(200), text()).default({}),
    description: description(),
  }),
);
/** Schema of {@link SecretSource}. */
export const secretSource = lazy((): z.ZodType<SecretSource> =>
  z.discriminatedUnion('kind', [staticSecret(), lookupSecret()]),
);

/** Source of a secret. */
export type SecretSource = Readonly<
  | z.output<ReturnType<typeof staticSecret>>
  | (z.output<ReturnType<typeof lookupSecret>> & { readonly headers: Readonly<Record<string, string>> })
>;

/** Text that replaces a secret. Read as "not set". */
export const redacted = '**********';

/** Visibility of secrets in a record: for readers, for clients that send it back, or in clear. */
export type Exposure = 'redacted' | 'encrypted' | 'plaintext';

/**
 * Returns the source that a client sends: a text, `{value}`, or a source, in clear or encrypted by the
 * cipher. Undefined for one that is not set: empty, redacted, malformed, or encrypted with another key.
 */
export function receivedSource(input: unknown, cipher: Cipher): SecretSource | undefined {
  const record = typeof input === 'string' ? { value: input } : input;
  if (typeof record !== 'object' || record === null) return undefined;
  const { data } = secretSource().safeParse('kind' in record ? record : { ...record, kind: 'StaticSecret' });
  if (!data) return undefined;
  if (data.kind === 'StaticSecret') {
    const value = receivedText(data.value, cipher);
    return value === undefined ? undefined : { ...data, value };
  }
  const headers = Object.entries(data.headers).flatMap(([name, sent]) => {
    const value = receivedText(sent, cipher);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...data, headers: Object.fromEntries(headers) };
}

/** Returns the text that a client sends, decrypted if it is a token; undefined for one that is not set. */
export function receivedText(sent: string, cipher: Cipher): string | undefined {
  if (sent.trim() === '' || /^\*+$/.test(sent.trim())) return undefined;
  return isToken(sent) ? cipher.decrypt(sent) : sent;
}
