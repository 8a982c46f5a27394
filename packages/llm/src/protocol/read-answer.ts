import type { Delta } from '../delta.ts';
import type { CallControl } from '../http/call-watch.ts';
import { bodyChunks } from '../http/body-chunks.ts';
import { parseErrorBody, isHtml } from '../http/error-body.ts';
import type { ServerErrors } from '../http/failures.ts';
import { eventDecoder, type ServerSentEvent } from '../http/server-sent-events.ts';

/** What an answer is put together in. */
export interface ReplyAssembly {
  /** Not empty as soon as the reply is known to be whole; usage may still follow. */
  readonly finish: string;
  /** Whether nothing can follow, in protocols without an end marker. */
  readonly isDone?: boolean;
  /** The error object of a reply that ended as a failure. */
  readonly failure?: unknown;
  /** Takes a chunk of a stream, or a whole answer; returns the deltas to hand out. */
  push(chunk: unknown): readonly Delta[];
  /** Ends the reply; returns the last deltas. */
  end(): readonly Delta[];
}

/** How an answer is read. */
export interface ReadOptions {
  readonly control: CallControl;
  readonly errors: ServerErrors;
  readonly onDelta: ((delta: Delta) => void) | undefined;
}

/**
 * Reads the body of a 2xx answer to its end, into `answer`. Its content type and its beginning decide how, whatever was asked
 * for, because servers answer a streaming request with one JSON text and the other way round.
 *
 * @throws {LlmError} when it is no reply: HTML, broken JSON, an error object, a stream without an end.
 */
export async function readResponse(response: Response, answer: ReplyAssembly, options: ReadOptions): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) await readStream(response, answer, options);
  else readWhole(await readText(response, options), answer, options);
  hand(answer.end(), options);
}

/** A stream may come as text, from proxies that do not know its type. */
function readWhole(body: string, answer: ReplyAssembly, options: ReadOptions): void {
  if (!/^(?:data|event|id|retry)?:/.test(body)) {
    push(parsedWhole(body, options), answer, options);
    return;
  }
  const decoder = eventDecoder();
  const end: StreamEnd = { isMarked: false, isEarly: false };
  const events = [...decoder.push(new TextEncoder().encode(body)), ...decoder.end()];
  takeEvents(events, { answer, end }, options);
  checkEnd(end, answer, options);
}

/** Whether anything was said with it. */
function push(chunk: unknown, answer: ReplyAssembly, options: ReadOptions): boolean {
  const deltas = answer.push(chunk);
  hand(deltas, options);
  if (answer.failure !== undefined) throw options.errors.fromAnswer(answer.failure);
  return deltas.length > 0;
}

/** A callback may abort the call, so each delta is handed out only while the call lives. */
function hand(deltas: readonly Delta[], { control: watch, onDelta }: ReadOptions): void {
  for (const delta of deltas) {
    watch.throwIfEnded();
    onDelta?.(delta);
  }
}

async function readText(response: Response, options: ReadOptions): Promise<string> {
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  for await (const bytes of bodyChunks(response, { ...options, remainingMs: () => undefined })) {
    pieces.push(utf8.decode(bytes, { stream: true }));
  }
  return [...pieces, utf8.decode()].join('');
}

function parsedWhole(body: string, { errors: failures }: ReadOptions): unknown {
  const json = parsed(body);
  if (isFailure(json)) throw failures.fromAnswer(json.error);
  if (typeof json === 'object' && json !== null) return json;
  const said = isHtml(body) ? parseErrorBody(body).message : failures.quote(body);
  throw failures.create(
    'malformed-reply',
    `answered with ${body.trim() === '' ? 'nothing' : said} instead of a reply.`,
  );
}

/** How long to wait for usage after the finish reason, and for the end of the body, so that its connection is reused. */
const afterFinishMs = 5000;
const afterEndMs = 50;

async function readStream(response: Response, answer: ReplyAssembly, options: ReadOptions): Promise<void> {
  const { control: watch, errors: failures } = options;
  const decoder = eventDecoder();
  const end: StreamEnd = { isMarked: false, isEarly: false };
  const restMs = (): number | undefined => {
    if (end.isMarked) return afterEndMs;
    return answer.finish === '' || end.isEarly ? undefined : afterFinishMs;
  };
  watch.resetIdleTimer();
  for await (const bytes of bodyChunks(response, { control: watch, errors: failures, remainingMs: restMs })) {
    watch.resetIdleTimer();
    if (!end.isMarked) takeEvents(decoder.push(bytes), { answer, end }, options);
  }
  if (!end.isMarked) takeEvents(decoder.end(), { answer, end }, options);
  checkEnd(end, answer, options);
}

function checkEnd({ isMarked }: StreamEnd, { finish }: ReplyAssembly, { errors: failures }: ReadOptions): void {
  if (isMarked || finish !== '') return;
  throw failures.create('unavailable', 'ended its stream before the reply was complete.');
}

/** What is known of how a stream ends. */
interface StreamEnd {
  /** Whether its end marker has come. */
  isMarked: boolean;
  /** Whether words came after a finish reason, as from servers that send one with every piece: then it ends nothing. */
  isEarly: boolean;
}

interface Taking {
  readonly answer: ReplyAssembly;
  readonly end: StreamEnd;
}

function takeEvents(events: readonly ServerSentEvent[], { answer, end }: Taking, options: ReadOptions): void {
  for (const event of events) {
    if (event.data.trim() === '[DONE]') {
      end.isMarked = true;
      return;
    }
    const chunk = parsed(event.data);
    if (isFailure(chunk)) throw options.errors.fromAnswer(chunk.error);
    if (event.name === 'error') throw options.errors.fromAnswer(chunk ?? event.data);
    if (chunk === undefined && !event.isCut) {
      throw options.errors.create(
        'malformed-reply',
        `sent a piece that is not JSON: ${options.errors.quote(event.data)}`,
      );
    }
    const hadFinish = answer.finish !== '';
    const hasSaid = push(chunk, answer, options);
    end.isEarly ||= hadFinish && hasSaid;
    if (answer.isDone) {
      end.isMarked = true;
      return;
    }
  }
}

/** Undefined when it is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isFailure(answer: unknown): answer is { readonly error: unknown } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && Boolean(answer.error);
}
