import { exceededJsonLimit, withoutUndefined } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { ToolError } from '../contract/error.ts';

/** Address and access key of an agent-server. */
export interface AgentServerOptions {
  /** Base URL, with or without a slash at the end. */
  readonly url: string;
  /** Sent with each request as `X-Session-API-Key`; never part of a message. */
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Request to an agent-server. */
export interface AgentServerRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a stream, with `contentType`. */
  readonly stream?: ReadableStream<Uint8Array>;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Client of an agent-server. */
export interface AgentServer {
  /** Returns the response to a successful request. */
  readonly send: (path: string, request?: AgentServerRequest) => Promise<Response>;
  /** Returns the body of the response as a stream of bytes. */
  readonly bytes: (path: string, request?: AgentServerRequest) => Promise<AsyncIterable<Uint8Array>>;
  /** Returns the body of the response as JSON of this schema. */
  readonly json: <T>(schema: z.ZodType<T>, path: string, request?: AgentServerRequest) => Promise<T>;
}

const timeoutMs = 600_000;
/** Most bytes of a body of JSON, and of that of an error, and most characters of its reason. */
const maxJsonBytes = 32_000_000;
const maxErrorBytes = 1_000_000;
const maxDetail = 2000;
/** Limits of the structure of a body: its values need many times the memory of their text. */
const jsonLimits = { depth: 200, values: 500_000 };
const wrongRequest = new Set([400, 404, 422]);
const failure = lazy(() => z.looseObject({ detail: z.string() }));

/**
 * Returns a client of an agent-server. Redirects are refused, because they would receive the key.
 *
 * @throws {ToolError} from each method: `invalid-input` when the server rejects the request, `unusable` when it fails,
 * returns an unexpected response or none within ten minutes, `aborted`.
 */
export function agentServer({ url, apiKey, fetch = globalThis.fetch }: AgentServerOptions): AgentServer {
  const base = url.replace(/(?<!\/)\/+$/, '');
  const send: AgentServer['send'] = async (path, request = {}) => {
    const { query = {}, signal } = request;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
    const target = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await mapFailures(path, signal, () =>
      fetch(`${base}${target}`, {
        ...init(request),
        headers: headers(request, apiKey),
        redirect: 'error',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      }),
    );
    if (response.ok) return response;
    const { data } = failure().safeParse(await limitedJson(response, maxErrorBytes).catch(() => undefined));
    const code = wrongRequest.has(response.status) ? 'invalid-input' : 'unusable';
    throw new ToolError(
      code,
      `The server answered ${path} with ${response.status}: ${data?.detail.slice(0, maxDetail) ?? 'no reason given'}.`,
    );
  };
  return {
    send,
    async bytes(path, request = {}) {
      const { body } = await send(path, request);
      return chunks(body, path, request.signal);
    },
    async json(schema, path, request = {}) {
      const response = await send(path, request);
      const body: unknown = await mapFailures(path, request.signal, () => limitedJson(response, maxJsonBytes));
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
      throw new ToolError('unusable', `The server answered ${path} with an unexpected body.`, { cause: parsed.error });
    },
  };
}

/** Reads a body of JSON. @throws {Error} when it exceeds a limit; the rest is not read. */
async function limitedJson({ body }: Response, maxBytes: number): Promise<unknown> {
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for await (const bytes of body ?? []) {
    size += bytes.length;
    if (size > maxBytes) throw new Error(`The body has more than ${maxBytes} bytes.`);
    pieces.push(utf8.decode(bytes, { stream: true }));
  }
  const text = [...pieces, utf8.decode()].join('');
  const exceeded = exceededJsonLimit(text, jsonLimits);
  if (exceeded) throw new Error(`The body has more than ${jsonLimits[exceeded]} ${exceeded} of JSON.`);
  return JSON.parse(text);
}

/** Reads a body that has no meaning, because an unread one keeps its connection; a long one is not read to its end. */
export async function discard({ body }: Response): Promise<void> {
  let left = 65_536;
  for await (const bytes of body ?? []) {
    left -= bytes.length;
    if (left < 0) return;
  }
}

async function* chunks(
  body: ReadableStream<Uint8Array> | null,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await mapFailures(path, signal, async () => reader?.read());
      if (chunk?.value === undefined) return;
      yield chunk.value;
    }
  } finally {
    // Releases the connection when the caller stops early.
    await reader?.cancel().catch(() => undefined);
  }
}

async function mapFailures<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (signal?.aborted) throw new ToolError('aborted', `The request ${path} was cancelled.`, { cause });
    throw new ToolError('unusable', `The request ${path} to the server failed.`, { cause });
  }
}

function init({ method = 'GET', body, stream }: AgentServerRequest): RequestInit {
  if (stream !== undefined) return { method, body: stream, duplex: 'half' };
  return body === undefined ? { method } : { method, body: JSON.stringify(body) };
}

function headers({ body, contentType }: AgentServerRequest, apiKey: string | undefined): Record<string, string> {
  const type = contentType ?? (body === undefined ? undefined : 'application/json');
  return withoutUndefined({ 'X-Session-API-Key': apiKey, 'Content-Type': type });
}
