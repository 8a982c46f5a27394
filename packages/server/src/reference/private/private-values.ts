import { AgentError } from '@varve/agent';
import type { HookConfig } from '@varve/agent/confirmation';
import { lazy, type Json } from '@varve/events';
import { LlmError, specFromLitellm, type ServerCredentials, type StoredServer } from '@varve/llm';
import { SpecError } from '@varve/events/specs';
import {
  isToken,
  secretSource,
  valueOf,
  type Cipher,
  type PrivateRecords,
  type SecretSource,
} from '@varve/settings/secrets';
import type { PersonSecrets } from '@varve/settings/agent';
import { namedSecrets } from '@varve/tools';
import { mapStrings, redactor, type Redactor } from '@varve/text';
import * as z from 'zod';

const serverKey = lazy(() => z.object({ baseUrl: z.string(), model: z.string(), apiKey: z.string() }));
const hookConfig = lazy(() => z.custom<HookConfig>((value) => typeof value === 'object' && value !== null));
const record = lazy((): z.ZodType<PrivateRecord> =>
  z.object({
    keys: z.array(serverKey()),
    secrets: z.record(z.string(), secretSource()),
    mcp: z.exactOptional(z.record(z.string(), z.unknown())),
    hooks: z.exactOptional(hookConfig()),
    plugins: z.exactOptional(z.array(z.string())),
    trustedHooks: z.exactOptional(hookConfig()),
  }),
);

/** Key of a model, and the one server that receives it. */
export type ServerKey = z.output<ReturnType<typeof serverKey>>;

/** What a conversation needs and its log must not contain: keys, secrets, and commands that run without a question. */
export interface PrivateRecord {
  readonly keys: ServerKey[];
  readonly secrets: Record<string, SecretSource>;
  /** Servers of the model context protocol, as the client sent them. */
  readonly mcp?: Record<string, unknown>;
  readonly hooks?: HookConfig;
  /** Directories of plugins whose skills the conversation has, absolute. */
  readonly plugins?: string[];
  /** Trusted hooks of files that the conversation was used with: without trusted hooks it is not opened. */
  readonly trustedHooks?: HookConfig;
}

/** Record of a conversation without private values. */
export const noPrivateValues: PrivateRecord = { keys: [], secrets: {} };

/** Parses a stored record. */
export function parsePrivateRecord(text: string): PrivateRecord {
  return record().parse(JSON.parse(text));
}

/** Options of {@link PrivateValues}. */
export interface PrivateValuesOptions {
  readonly records: PrivateRecords;
  /** True for a conversation that does not exist yet. Default: false. */
  readonly isNew?: boolean;
  /** Secrets of the person; those of the conversation with the same names precede them. */
  readonly person?: Omit<PersonSecrets, 'problems'>;
  /** Receives everything that must be masked, now and after each change. */
  readonly onValues?: (values: readonly string[]) => void;
}

const noSecrets = { masked: [], variables: {}, referable: {} };

/**
 * Private values of one conversation. They may change while it is open, and are stored only while it is held: otherwise
 * another server may be creating or changing it.
 */
export class PrivateValues {
  readonly #id: string;
  readonly #records: PrivateRecords;
  readonly #person: Omit<PersonSecrets, 'problems'>;
  readonly #onValues: PrivateValuesOptions['onValues'];
  /** Values that lookups returned: masked from then on. */
  readonly #lookedUp = new Map<string, string>();
  #record: PrivateRecord;
  #isHeld = false;
  /** True if `hold` has something to store. */
  #isChanged: boolean;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();
  #concealed: readonly string[] = [];
  #values: readonly string[] = [];
  #withheld: readonly string[] = [];
  readonly redactor: Redactor;

  constructor(
    id: string,
    current: PrivateRecord,
    { records, isNew = false, person = noSecrets, onValues }: PrivateValuesOptions,
  ) {
    this.#id = id;
    this.#record = current;
    this.#records = records;
    this.#isChanged = isNew;
    this.#person = person;
    this.#onValues = onValues;
    this.redactor = redactor(() => this.values, { replacement: '<secret-hidden>' });
    this.#refresh();
  }

  /** Id of the conversation. */
  get id(): string {
    return this.#id;
  }

  get record(): PrivateRecord {
    return this.#record;
  }

  /** Everything that must not reach the log, a client or a model. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Names of all secrets that commands may use. */
  get secretNames(): readonly string[] {
    return [...new Set([...Object.keys(this.#record.secrets), ...Object.keys(this.#person.variables)])];
  }

  /** Secrets with a known value, by name: those that servers may be given. */
  get variables(): Readonly<Record<string, string>> {
    const values = Object.entries(this.#record.secrets).flatMap(([name, source]) =>
      source.kind === 'StaticSecret' ? [[name, source.value] as const] : [],
    );
    return { ...this.#person.variables, ...Object.fromEntries(values) };
  }

  /** All secrets of the person, for references of servers. */
  get referable(): Readonly<Record<string, string>> {
    return this.#person.referable;
  }

  /** Adds values that are masked while the conversation is open. */
  conceal(values: readonly string[]): void {
    this.#concealed = [...new Set([...this.#concealed, ...values])];
    this.#refresh();
  }

  /** Begins to store: the conversation is held. Stores the values of a new one, and the changes until now. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    if (this.#isChanged) await this.update({});
  }

  /** Applies a change, and stores it, or lets `hold` store it. @throws {AgentError} `closed`. */
  async update(changes: Partial<PrivateRecord>): Promise<void> {
    if (this.#isClosed) throw new AgentError('closed', `Conversation ${this.#id} was closed.`);
    const next = { ...this.#record, ...changes };
    if (this.#isHeld) await (this.#writing = this.#records.write(this.#id, JSON.stringify(next)));
    else this.#isChanged = true;
    this.#record = next;
    this.#refresh();
  }

  /** Stores nothing afterwards: the conversation may be removed, or belong to another server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing.catch(() => undefined);
  }

  /** Names addresses that receive no key, as {@link referenceKeys} returns them. */
  withhold(addresses: readonly string[]): void {
    this.#withheld = addresses;
  }

  /**
   * Returns the key of a server. A key for another address is never returned.
   *
   * @throws {LlmError} `unauthenticated` for an address whose key is withheld.
   */
  credentials({ baseUrl, model }: StoredServer): ServerCredentials | undefined {
    if (this.#withheld.includes(baseUrl)) throw new LlmError('unauthenticated', withheldSentence(baseUrl));
    const keys = this.#record.keys.filter((key) => key.baseUrl === baseUrl);
    const stored = keys.findLast((key) => key.model === model) ?? keys.at(-1);
    return stored && { apiKey: stored.apiKey };
  }

  /** Returns the secrets that a command names, by variable name; those whose lookup fails are left out. */
  async secretsFor(command: string): Promise<Readonly<Record<string, string>>> {
    const text = command.toLowerCase();
    const named = Object.entries(this.#record.secrets).filter(([name]) => text.includes(name.toLowerCase()));
    const values = await Promise.all(named.map(async ([name, source]) => [name, await this.#valueOf(name, source)]));
    const sent = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...namedSecrets(this.#person.variables)(command), ...sent };
  }

  async #valueOf(name: string, source: SecretSource): Promise<string | undefined> {
    if (source.kind === 'StaticSecret') return source.value;
    const value = await valueOf(source).catch(() => undefined);
    if (value !== undefined) this.#lookedUp.set(name, value);
    this.#refresh();
    return value;
  }

  #refresh(): void {
    const { keys, secrets, mcp } = this.#record;
    const sources = Object.values(secrets).flatMap((source) =>
      source.kind === 'StaticSecret' ? [source.value] : Object.values(source.headers),
    );
    const values = [
      ...this.#concealed,
      ...this.#person.masked,
      ...keys.map(({ apiKey }) => apiKey),
      ...sources,
      ...this.#lookedUp.values(),
      ...secretsIn(mcp),
    ];
    this.#values = values;
    this.#onValues?.(values);
  }
}

function withheldSentence(address: string): string {
  return `The stored key is not sent to ${address}, because only the files of the conversation name that server. If it is yours, create a model profile with this address, and try again.`;
}

/** Names of headers and variables whose values are secrets; other values, such as paths, are not. */
const secretName = /authorization|cookie|credential|key|password|secret|token/i;

/** Returns the values in the configuration of servers that are secrets by their names. */
function secretsIn(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]: readonly [string, unknown]) => {
    if (typeof value === 'string') return secretName.test(name) ? [value] : [];
    return secretsIn(value);
  });
}

const llm = lazy(() => z.object({ api_key: z.string().min(1) }));
const nested = lazy(() => z.object({ baseUrl: z.string(), model: z.string() }));

/** Returns the keys of the models in the JSON of an agent, each with the server that the model is at. */
export function serverKeysIn(json: unknown): readonly ServerKey[] {
  if (typeof json !== 'object' || json === null) return [];
  const inside = Object.values(json).flatMap((value) => serverKeysIn(value));
  const key = llm().safeParse(json).data?.api_key.trim();
  if (key === undefined || key === '' || /^\*+$/.test(key) || !('model' in json)) return inside;
  const server = serverOf(json as Json);
  return server ? [{ ...server, apiKey: key }, ...inside] : inside;
}

function serverOf(json: Json): z.output<ReturnType<typeof nested>> | undefined {
  try {
    let spec: unknown = specFromLitellm(json);
    while (typeof spec === 'object' && spec !== null) {
      const { data } = nested().safeParse(spec);
      if (data) return data;
      spec = 'model' in spec ? spec.model : undefined;
    }
  } catch (error) {
    // A model without a known server receives no key.
    if (!(error instanceof SpecError)) throw error;
  }
  return undefined;
}

/** Replaces encrypted values; one of another key counts as not set. */
export function decrypted<Value>(value: Value, cipher: Cipher): Value {
  return mapStrings(value, (text) => (isToken(text) ? (cipher.decrypt(text) ?? '') : text));
}
