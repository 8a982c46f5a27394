import { createHash } from 'node:crypto';
import type { Json } from '@varve/events';
import { exceededJsonLimit } from '@varve/text';
import { StorageError } from '../contract/error.ts';
import type { EventProof, SealedEnd } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import { isId } from '../kit/conversation-id.ts';
import { readerOf } from '../kit/reader.ts';
import { wakeups } from '../kit/wakeups.ts';
import { isSha256Hex } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { Verdict } from '../proof/verdict.ts';
import { copyLog, type CopyOptions } from './copy-log.ts';

/** Options of `importBundle`; the default owner is that of the bundle. */
export interface ImportOptions extends Omit<CopyOptions, 'meta'> {
  /** Maps the bundle's `meta` to that of the new conversation, for instance to drop paths; default unchanged. */
  readonly meta?: (meta: Json) => Json;
}

/**
 * Verifies a bundle, as chunks or parsed by {@link readBundle}, and creates its conversation, with the same id, texts,
 * seals and signatures. With `trusted`, the last event must be covered by a trusted signature: a bundle that lost its
 * signatures is refused. Holds the bundle in memory. Removes the conversation again if it fails. The copy is what the
 * bundle is, also its settings and approvals: a bundle of another person is imported by `Conversation.import`.
 *
 * @throws {StorageError} `corrupt` for an incomplete bundle or a broken log; `exists`; as `readBundle` and `copyLog`.
 */
export async function importBundle(
  bundle: AsyncIterable<string | Uint8Array> | Bundle,
  store: EventStore,
  { meta = (same) => same, owner, ...options }: ImportOptions = {},
): Promise<Verdict | undefined> {
  const { log, meta: stored, owner: own } = 'log' in bundle ? bundle : await readBundle(bundle);
  const required = options.trusted && ({ requireSigned: true } as const);
  return copyLog(log, store, { ...options, ...required, owner: owner ?? own, meta: meta(stored) });
}

/** A parsed bundle. */
export interface Bundle extends Pick<Summary, 'createdAt' | 'updatedAt' | 'owner' | 'meta'> {
  /** The log with its proof, in memory. */
  readonly log: LogReader;
}

type Fields = Readonly<Record<string, unknown>>;

/** Events and proof in the lines between the first and the last. */
interface Contents {
  readonly events: Stored[];
  readonly proofs: EventProof[];
}

/**
 * Parses a bundle from chunks of any size and holds all of it in memory. Checks the format and the checksum; use
 * `verify` on `log` to check the proof.
 *
 * @throws {StorageError} `corrupt` for a malformed, truncated or changed bundle, and for a line or an event whose JSON
 * has too many values to be parsed; `invalid` for one of a newer version.
 */
export async function readBundle(chunks: AsyncIterable<string | Uint8Array>): Promise<Bundle> {
  const hash = createHash('sha256');
  const contents: Contents = { events: [], proofs: [] };
  let header: Fields | undefined;
  let end: Fields | undefined;
  for await (const line of linesOf(chunks)) {
    if (end) throw corrupt('has lines after its checksum');
    const record = header ? (parse(line) ?? malformed()) : checkHeader(parse(line));
    if (record['sha256'] !== undefined) {
      end = record;
      if (hash.digest('hex') !== record['sha256']) throw corrupt('was changed');
    } else {
      hash.update(`${line}\n`);
      if (header) add(contents, record);
      else header = record;
    }
  }
  if (!header) throw notABundle();
  if (end?.['end'] !== contents.events.length) throw corrupt('is truncated');
  const { conversation: id, ...fields } = headerFields(header);
  return { ...fields, log: logOf(id, contents, sealedEnd(end)) };
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

function checkHeader(record: Fields | undefined): Fields {
  if (record?.['format'] !== 'varve-bundle') throw notABundle();
  if (record['version'] === 1) return record;
  throw new StorageError(
    'invalid',
    `The bundle has version ${String(record['version'])}, and only version 1 is supported.`,
  );
}

function headerFields({ id, createdAt, updatedAt, owner, meta }: Fields) {
  if (typeof id !== 'string' || !isId(id) || typeof createdAt !== 'number' || typeof updatedAt !== 'number') {
    throw corrupt('has no valid conversation id or times');
  }
  const owned = typeof owner === 'string' && { owner };
  return { conversation: id, createdAt, updatedAt, ...owned, meta: (meta ?? null) as Json };
}

function add({ events, proofs }: Contents, record: Fields): void {
  const { seq, id, kind, parent_id: parentId, text, seal, statements = [] } = record;
  if (!Number.isSafeInteger(seq) || typeof seq !== 'number' || !Array.isArray(statements)) {
    throw corrupt('has a line that is not an event');
  }
  // In order, as in any store: looking for the proof of an event would otherwise read all lines again.
  if (seq <= (proofs.at(-1)?.seq ?? -1) || seq < events.length) throw corrupt(`has event ${seq} out of order`);
  const parsed = statements.flatMap((statement) => parseStatement(statement) ?? []);
  const isAbout = parsed.length === statements.length && parsed.every((statement) => statement.seq === seq);
  if (!isAbout || !(seal === undefined || isSha256Hex(seal))) throw corrupt(`has an invalid proof for event ${seq}`);
  if (seal !== undefined || parsed.length > 0) proofs.push({ seq, seal, statements: parsed });
  if (text === undefined) return;
  const isParent = parentId === undefined || typeof parentId === 'string';
  if (
    seq !== events.length ||
    typeof text !== 'string' ||
    typeof id !== 'string' ||
    typeof kind !== 'string' ||
    !isParent
  ) {
    throw corrupt(`has no event ${events.length}`);
  }
  if (exceededJsonLimit(text, textLimits)) throw corrupt(`has over ${textLimits.values} values in event ${seq}`);
  events.push({ seq, id, kind, parentId, text });
}

function sealedEnd({ sealed }: Fields): SealedEnd | undefined {
  if (typeof sealed !== 'object' || sealed === null) return undefined;
  const { head, seal } = sealed as Fields;
  return typeof head === 'number' && typeof seal === 'string' ? { head, seal } : undefined;
}

/** Limits of a line, outside of the text of its event: more than any real one, and little enough to parse. */
const lineLimits = { depth: 1000, values: 1_000_000 };
/** Limits of the text of an event: whatever reads the log parses it. Its depth costs nothing but characters. */
const textLimits = { depth: Infinity, values: 5_000_000 };

/** Parses a line. A few characters of a list need a hundred bytes once parsed, so it is measured before. */
function parse(line: string): Fields | undefined {
  const exceeded = exceededJsonLimit(line, lineLimits);
  if (exceeded) {
    const limit =
      exceeded === 'depth' ? `nested deeper than ${lineLimits.depth} levels` : `of over ${lineLimits.values} values`;
    throw corrupt(`has a line ${limit}`);
  }
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function malformed(): never {
  throw corrupt('has a line that is not a JSON object');
}

function notABundle(): StorageError {
  return new StorageError('corrupt', 'This is not a varve bundle.');
}

function corrupt(problem: string): StorageError {
  return new StorageError('corrupt', `The bundle ${problem}.`);
}

/** Maximum length of a line in UTF-16 units: half of the longest string of V8. */
const maxLineLength = 256 * 1024 * 1024;

/**
 * Yields the lines of a UTF-8 text in chunks of any size, without line feeds.
 *
 * @throws {StorageError} `corrupt` for other bytes, and for a line over the limit, before it is complete.
 */
async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decode(decoder, chunk).split('\n');
    parts.push(first);
    length += first.length;
    if (length > maxLineLength) throw corrupt(`has a line of more than ${maxLineLength} characters`);
    for (const part of rest) {
      yield parts.join('');
      parts = [part];
      length = part.length;
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}

function decode(decoder: Pick<InstanceType<typeof TextDecoder>, 'decode'>, chunk: string | Uint8Array): string {
  if (typeof chunk === 'string') return chunk;
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new StorageError('corrupt', 'The bundle is not UTF-8.', { cause });
  }
}
