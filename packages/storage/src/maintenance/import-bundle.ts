import { createHash } from 'node:crypto';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { EventProof, SealedEnd } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { EventStore } from '../contract/store.ts';
import { isId } from '../kit/checks.ts';
import { readerOf } from '../kit/reader.ts';
import { wakeups } from '../kit/wakeups.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { Verdict, VerifyOptions } from '../proof/verdict.ts';
import { copyLog } from './copy-log.ts';

/** How a bundle is imported. */
export interface ImportOptions extends VerifyOptions {
  /** The `meta` of the conversation, from that in the bundle; default the same. Paths of another machine end here. */
  readonly meta?: (meta: Json) => Json;
}

/**
 * Makes a conversation of a bundle, with its id, its exact texts, its seals and its signatures, after it was verified.
 * Holds the bundle in memory; leaves nothing behind when it fails.
 *
 * @throws {StorageError} `corrupt` for what is no whole bundle or holds a broken log; `exists`; as `readBundle` and
 * `copyLog`.
 */
export async function importBundle(
  chunks: AsyncIterable<string | Uint8Array>,
  store: EventStore,
  { meta = (same) => same, ...options }: ImportOptions = {},
): Promise<Verdict | undefined> {
  const bundle = await readBundle(chunks);
  return copyLog(bundle.log, store, { ...options, meta: meta(bundle.meta) });
}

/** A bundle that was read. */
export interface Bundle {
  /** UTC milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly meta: Json;
  /** Its log, with its proof, all in memory. */
  readonly log: LogReader;
}

type Fields = Readonly<Record<string, unknown>>;

/** What the lines between the first and the last say. */
interface Contents {
  readonly events: Stored[];
  readonly proofs: EventProof[];
}

/**
 * Reads a bundle, in any chunks, and holds all of it in memory. What it says is not judged: `verify` judges its log.
 *
 * @throws {StorageError} `corrupt` for what is no bundle, is cut or was changed on its way; `invalid` for one of a newer
 * version.
 */
export async function readBundle(chunks: AsyncIterable<string | Uint8Array>): Promise<Bundle> {
  const hash = createHash('sha256');
  const contents: Contents = { events: [], proofs: [] };
  let header: Fields | undefined;
  let end: Fields | undefined;
  for await (const line of linesOf(chunks)) {
    if (end) throw broken('goes on after its end');
    const record = parse(line);
    if (record['sha256'] !== undefined) {
      end = record;
      if (hash.digest('hex') !== record['sha256']) throw broken('was changed');
    } else {
      hash.update(`${line}\n`);
      if (header) add(contents, record);
      else header = checkHeader(record);
    }
  }
  if (!header || end?.['end'] !== contents.events.length) throw broken('is cut');
  const { conversation: id, createdAt, updatedAt, meta } = headerFields(header);
  return { createdAt, updatedAt, meta, log: logOf(id, contents, sealedEnd(end)) };
}

function logOf(id: string, { events, proofs }: Contents, sealed: SealedEnd | undefined): LogReader {
  const wake = wakeups();
  return readerOf({
    id,
    head: async () => events.length,
    page: async (from, to) => events.slice(from, Math.min(to, from + 256)),
    seqOf: async (eventId) => events.find((event) => event.id === eventId)?.seq,
    arm: () => wake.arm(id),
    closed: new AbortController().signal,
    proof: {
      page: async (from, to) => proofs.filter(({ seq }) => seq >= from && seq < to),
      end: async () => sealed,
    },
  });
}

function checkHeader(record: Fields): Fields {
  if (record['format'] !== 'varve-bundle') throw broken('is none');
  if (record['version'] === 1) return record;
  throw new StorageError('invalid', `The bundle has version ${String(record['version'])}, and 1 is known here.`);
}

function headerFields({ id, createdAt, updatedAt, meta }: Fields) {
  if (typeof id !== 'string' || !isId(id) || typeof createdAt !== 'number' || typeof updatedAt !== 'number') {
    throw broken('does not say what it is of');
  }
  return { conversation: id, createdAt, updatedAt, meta: (meta ?? null) as Json };
}

function add({ events, proofs }: Contents, record: Fields): void {
  const { seq, id, kind, parent_id: parentId, text, seal, statements = [] } = record;
  if (typeof seq !== 'number' || !Array.isArray(statements)) throw broken('holds what is no event');
  const noted = statements.flatMap((statement) => parseStatement(statement) ?? []);
  if (noted.length < statements.length || !(seal === undefined || typeof seal === 'string')) {
    throw broken(`holds no proof for event ${seq}`);
  }
  if (seal !== undefined || noted.length > 0) proofs.push({ seq, seal, statements: noted });
  if (text === undefined) return;
  const isParent = parentId === undefined || typeof parentId === 'string';
  if (
    seq !== events.length ||
    typeof text !== 'string' ||
    typeof id !== 'string' ||
    typeof kind !== 'string' ||
    !isParent
  ) {
    throw broken(`holds no event ${events.length}`);
  }
  events.push({ seq, id, kind, parentId, text });
}

function sealedEnd({ sealed }: Fields): SealedEnd | undefined {
  if (typeof sealed !== 'object' || sealed === null) return undefined;
  const { head, seal } = sealed as Fields;
  return typeof head === 'number' && typeof seal === 'string' ? { head, seal } : undefined;
}

function parse(line: string): Fields {
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record === 'object' && record !== null) return record as Fields;
  } catch {
    // Said below, without quoting the line.
  }
  throw broken('holds a line that is no record');
}

function broken(how: string): StorageError {
  return new StorageError('corrupt', `The bundle ${how}.`);
}

/** The lines of a UTF-8 text that comes in any chunks, without their line feeds. @throws {StorageError} `corrupt`. */
export async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoded(decoder, chunk).split('\n');
    parts.push(first);
    for (const part of rest) {
      yield parts.join('');
      parts = [part];
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}

function decoded(decoder: Pick<InstanceType<typeof TextDecoder>, 'decode'>, chunk: string | Uint8Array): string {
  if (typeof chunk === 'string') return chunk;
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new StorageError('corrupt', 'The bundle is no UTF-8.', { cause });
  }
}
