import { appendFile, readFile } from 'node:fs/promises';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { LlmError, type LlmErrorCode, type LlmErrorOptions } from '../error.ts';
import type { ModelReply } from '../model-reply.ts';

/** One recorded call: the digest of its request, and its reply or failure. */
export interface CassetteEntry {
  readonly version: 1;
  /** Digest of the request; see `requestDigest`. */
  readonly digest: string;
  /** End of the request, for people. The request itself is not recorded, because each one repeats the whole history. */
  readonly asked: string;
  readonly reply?: ModelReply;
  readonly failure?: CassetteFailure;
}

/** A recorded failure. */
export interface CassetteFailure extends Omit<LlmErrorOptions, 'cause'> {
  readonly code: LlmErrorCode;
  readonly message: string;
}

/** File of recorded calls, one line of JSON each. */
export interface CassetteFile {
  /** Appends an entry; resolves when it is written. Calls may overlap. */
  readonly record: (entry: CassetteEntry) => Promise<void>;
  /**
   * Reads all entries; none from a missing file. @throws {LlmError} `bad-request` for a line that is not an entry of
   * this version.
   */
  entries(): Promise<readonly CassetteEntry[]>;
}

/** Opens the cassette at a path; the file is created with the first entry. */
export function cassetteFile(path: string): CassetteFile {
  let written: Promise<void> = Promise.resolve();
  return {
    record(entry) {
      const line = `${JSON.stringify(entry)}\n`;
      written = written.catch(() => undefined).then(() => appendFile(path, line, { mode: 0o600 }));
      return written;
    },
    async entries() {
      const lines = (await textOf(path)).split('\n');
      return lines.flatMap((line, index) => (line.trim() === '' ? [] : [entryIn(line, `${path}:${index + 1}`)]));
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

const shape = lazy(() =>
  z.looseObject({
    version: z.literal(1),
    digest: z.string(),
    asked: z.string(),
    reply: z.looseObject({ id: z.string(), message: z.looseObject({ content: z.array(z.unknown()) }) }).optional(),
    failure: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  }),
);

function entryIn(line: string, position: string): CassetteEntry {
  const entry: unknown = parseJson(line);
  if (!shape().safeParse(entry).success)
    throw new LlmError('bad-request', `${position} is not a recorded call of version 1.`);
  return entry as CassetteEntry;
}
