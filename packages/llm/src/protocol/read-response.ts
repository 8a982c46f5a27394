import type { Delta } from '../delta.ts';
import { bodyChunks } from '../http/body-chunks.ts';
import { exceededJsonLimit, parseJson } from '@varve/text';
import type { CallControl } from '../http/call-control.ts';
import type { HttpResponse } from '../http/http-post.ts';
import { isHtml, parseErrorBody } from '../http/error-body.ts';
import type { ReplyLimits } from '../http/reply-limits.ts';
import type { ServerErrors } from '../http/server-errors.ts';
import { eventDecoder, type EventDecoder, type ServerSentEvent } from '../http/server-sent-events.ts';
import type { ReplyAssembly } from './protocol.ts';

/** Control, errors, limits and deltas of the call that reads a response. */
export interface ReadOptions {
  readonly control: CallControl;
  readonly errors: ServerErrors;
  readonly limits: ReplyLimits;
  readonly onDelta: ((delta: Delta) => void) | undefined;
}

/**
 * Reads the body of a 2xx response to its end, into `assembly`. Its content type and its start decide whether it is a
 * stream, not the request: some servers answer a streaming request with one JSON text, and the reverse.
 *
 * @throws {LlmError} when it is not a reply: HTML, broken JSON, an error object, a stream without an end; `reply-limit`
 * when it exceeds a limit.
 */
export async function readResponse(
  response: HttpResponse,
  assembly: ReplyAssembly,
  options: ReadOptions,
): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) await readStream(response, assembly, options);
  else readWhole(await readText(response, options), assembly, options);
  emit(assembly.end(), options);
}

/** Waits after the finish reason, for usage, and after the end marker, so that the connection can be reused. */
const afterFinishMs = 5000;
const afterEndMs = 50;

async function readStream(response: HttpResponse, assembly: ReplyAssembly, options: ReadOptions): Promise<void> {
  const { control, limits } = options;
  const decoder = decoderFor(options);
  const end = streamEnd();
  const remainingMs = (): number | undefined => {
    if (end.isMarked) return afterEndMs;
    return assembly.finish === '' || end.isEarly ? undefined : afterFinishMs;
  };
  control.resetIdleTimer();
  for await (const bytes of bodyChunks(response, { ...options, maxBytes: limits.bodyBytes, remainingMs })) {
    control.resetIdleTimer();
    if (!end.isMarked) addEvents(decoder.push(bytes), { assembly, end }, options);
  }
  if (!end.isMarked) addEvents(decoder.end(), { assembly, end }, options);
  checkEnd(end, assembly, options);
}

/** The text may be a stream, from proxies that change its content type. */
function readWhole(body: string, assembly: ReplyAssembly, options: ReadOptions): void {
  if (!/^(?:data|event|id|retry)?:/.test(body)) {
    addChunk(parseWhole(body, options), assembly, options);
    return;
  }
  const decoder = decoderFor(options);
  const end = streamEnd();
  // In pieces, because all events of a long text need much memory.
  for (let at = 0; at < body.length && !end.isMarked; at += pieceLength) {
    addEvents(decoder.pushText(body.slice(at, at + pieceLength)), { assembly, end }, options);
  }
  if (!end.isMarked) addEvents(decoder.end(), { assembly, end }, options);
  checkEnd(end, assembly, options);
}

const pieceLength = 65_536;

function decoderFor({ errors, limits }: ReadOptions): EventDecoder {
  return eventDecoder({ maxCharacters: limits.characters, overLimit: (unit, limit) => errors.overLimit(unit, limit) });
}

async function readText(response: HttpResponse, options: ReadOptions): Promise<string> {
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  const body = { ...options, maxBytes: options.limits.characters, remainingMs: () => undefined };
  for await (const bytes of bodyChunks(response, body)) {
    pieces.push(utf8.decode(bytes, { stream: true }));
  }
  return [...pieces, utf8.decode()].join('');
}

function parseWhole(body: string, options: ReadOptions): unknown {
  const { errors } = options;
  const json = parseLimited(body, options);
  if (isErrorBody(json)) throw errors.fromAnswer(json.error);
  if (typeof json === 'object' && json !== null) return json;
  const text = isHtml(body) ? parseErrorBody(body).message : errors.quote(body);
  throw errors.create('malformed-reply', `answered with ${body.trim() === '' ? 'nothing' : text} instead of a reply.`);
}

/** State of the end of a stream. */
interface StreamEnd {
  /** True after the end marker. */
  isMarked: boolean;
  /** True when content followed a finish reason, which some servers send with every chunk: it then ends nothing. */
  isEarly: boolean;
  events: number;
}

function streamEnd(): StreamEnd {
  return { isMarked: false, isEarly: false, events: 0 };
}

function checkEnd({ isMarked }: StreamEnd, { finish }: ReplyAssembly, { errors }: ReadOptions): void {
  if (isMarked || finish !== '') return;
  throw errors.create('unavailable', 'ended its stream before the reply was complete.');
}

interface StreamState {
  readonly assembly: ReplyAssembly;
  readonly end: StreamEnd;
}

function addEvents(events: readonly ServerSentEvent[], { assembly, end }: StreamState, options: ReadOptions): void {
  const { errors, limits } = options;
  for (const event of events) {
    end.events += 1;
    if (end.events > limits.events) throw errors.overLimit('events in one reply', limits.events);
    if (event.data.trim() === '[DONE]') {
      end.isMarked = true;
      return;
    }
    const chunk = parseLimited(event.data, options);
    if (isErrorBody(chunk)) throw errors.fromAnswer(chunk.error);
    if (event.name === 'error') throw errors.fromAnswer(chunk ?? event.data);
    if (chunk === undefined && !event.isCut) {
      throw errors.create('malformed-reply', `sent a stream chunk that is not valid JSON: ${errors.quote(event.data)}`);
    }
    const hadFinish = assembly.finish !== '';
    const hasContent = addChunk(chunk, assembly, options);
    end.isEarly ||= hadFinish && hasContent;
    if (assembly.isDone) {
      end.isMarked = true;
      return;
    }
  }
}

/** Returns true when the chunk contained anything for the reply. */
function addChunk(chunk: unknown, assembly: ReplyAssembly, options: ReadOptions): boolean {
  const { errors, limits } = options;
  const deltas = assembly.push(chunk);
  const { characters, calls } = assembly.size;
  if (characters > limits.characters) throw errors.overLimit('characters in one reply', limits.characters);
  if (calls > limits.calls) throw errors.overLimit('calls in one reply', limits.calls);
  emit(deltas, options);
  if (assembly.failure !== undefined) throw errors.fromAnswer(assembly.failure);
  return deltas.length > 0;
}

/** A callback may abort the call, so the call is checked before each delta. */
function emit(deltas: readonly Delta[], { control, onDelta }: ReadOptions): void {
  for (const delta of deltas) {
    control.throwIfEnded();
    onDelta?.(delta);
  }
}

const units = { depth: 'levels of JSON', values: 'values in one JSON text' } as const;

/** Returns undefined for text that is not JSON. */
function parseLimited(text: string, { errors, limits }: ReadOptions): unknown {
  const exceeded = exceededJsonLimit(text, limits);
  if (exceeded) throw errors.overLimit(units[exceeded], limits[exceeded]);
  return parseJson(text);
}

function isErrorBody(body: unknown): body is { readonly error: unknown } {
  return typeof body === 'object' && body !== null && 'error' in body && Boolean(body.error);
}
