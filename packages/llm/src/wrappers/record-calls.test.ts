import { readFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import type { LanguageModel } from '../language-model.ts';
import { userRequest, scriptedModel, type ScriptedTurn } from '../testing/index.ts';
import { cassetteFile, type CassetteEntry } from './cassette.ts';
import { recordCalls } from './record-calls.ts';
import { cassetteModel } from './cassette-model.ts';
import { requestDigest } from './request-digest.ts';

const calling: ScriptedTurn = {
  reasoning: 'Search first.',
  text: 'Looking.',
  calls: [{ name: 'grep', arguments: '{"pattern": "x"}' }],
  usage: { input_tokens: 9 },
  costUsd: 0.5,
};

async function outcomes(model: LanguageModel, questions: readonly string[]): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const question of questions)
    all.push(await model.generate(userRequest(question)).catch((error: unknown) => error));
  return all;
}

test('recorded replies, failures and repeated requests are returned again', async () => {
  const entries: CassetteEntry[] = [];
  const script = [
    calling,
    { error: { code: 'rate-limited', retryAfterMs: 5 } },
    { text: 'One.' },
    { text: 'Two.' },
  ] as const;
  const questions = ['a', 'b', 'b', 'c'];
  const live = await outcomes(
    recordCalls({ record: (entry) => void entries.push(entry) })(scriptedModel(script)),
    questions,
  );
  const model = cassetteModel(structuredClone(entries));
  expect(await outcomes(model, questions)).toEqual(live);
  model.assertDone();
  expect(await outcomes(model, ['c', 'a'])).toEqual([live[3], live[0]]);
});

test('a recorded reply is emitted as deltas that add up to it', async () => {
  const entries: CassetteEntry[] = [];
  const deltas: Delta[] = [];
  await outcomes(recordCalls({ record: (entry) => void entries.push(entry) })(scriptedModel([calling])), ['a']);
  await cassetteModel(entries).generate(userRequest('a'), { onDelta: (delta) => void deltas.push(delta) });
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Search first.' },
    { kind: 'text', text: 'Looking.' },
    { kind: 'tool-call', index: 0, name: 'grep', arguments: '{"pattern": "x"}' },
  ]);
});

test('a request that was not recorded is a mismatch that names both requests', async () => {
  const entries: CassetteEntry[] = [];
  await outcomes(recordCalls({ record: (entry) => void entries.push(entry) })(scriptedModel([calling])), ['a']);
  const model = cassetteModel(entries);
  await expect(model.generate(userRequest('z'))).rejects.toMatchObject({
    code: 'script-mismatch',
    message: 'Nothing was recorded for the request that ends with "z"; the next entry is for "a".',
  });
  expect(() => model.assertDone()).toThrow('The entry for "a" was not requested.');
});

test('an aborted call is neither recorded nor answered', async () => {
  const entries: CassetteEntry[] = [];
  const wrapped = recordCalls({ record: (entry) => void entries.push(entry) })(scriptedModel([calling]));
  await expect(wrapped.generate(userRequest('a'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(entries).toEqual([]);
  await outcomes(wrapped, ['a']);
  const caller = new AbortController();
  const pieces: Delta[] = [];
  const call = cassetteModel(entries).generate(userRequest('a'), {
    signal: caller.signal,
    onDelta(delta) {
      pieces.push(delta);
      caller.abort();
    },
  });
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
  expect(pieces).toHaveLength(1);
});

test('a call whose recording fails is rejected', async () => {
  const full = new Error('disk full');
  const wrapped = recordCalls({ record: () => Promise.reject(full) })(scriptedModel([calling]));
  await expect(wrapped.generate(userRequest('a'))).rejects.toBe(full);
});

test('entries contain no secrets, and secrets do not change which entry is found', async () => {
  const entries: CassetteEntry[] = [];
  const secrets = ['hunter2-hunter2'];
  const script: ScriptedTurn[] = [
    {
      text: 'It is hunter2-hunter2, and sk-abcdef123456.',
      calls: [{ name: 'sh', arguments: { command: 'x hunter2-hunter2' } }],
    },
    { error: { code: 'bad-request', message: 'No hunter2-hunter2.' } },
  ];
  const record = (entry: CassetteEntry): void => void entries.push(entry);
  await outcomes(recordCalls({ record, secrets })(scriptedModel(script)), ['Use hunter2-hunter2', 'b sk-abcdef123456']);
  expect(JSON.stringify(entries)).not.toMatch(/hunter2|abcdef123456/);
  const call = userRequest('Use hunter2-hunter2');
  const { message } = await cassetteModel(entries, { secrets }).generate(call);
  expect(message.tool_calls?.[0]?.arguments).toBe('{"command":"x [redacted]"}');
});

test('a cassette file keeps the order of overlapping calls and is read back completely', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'varve-cassette-')), 'calls.jsonl');
  const cassette = cassetteFile(path);
  expect(await cassette.entries()).toEqual([]);
  const entries = Array.from({ length: 20 }, (_, index): CassetteEntry => ({
    version: 1,
    digest: String(index),
    asked: 'é\n',
    failure: { code: 'quota', message: 'No.' },
  }));
  await Promise.all(entries.map(cassette.record));
  expect(await cassette.entries()).toEqual(entries);
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(21);
});

test('the error names a line that is not an entry', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'varve-cassette-')), 'calls.jsonl');
  const cassette = cassetteFile(path);
  await cassette.record({ version: 2 } as unknown as CassetteEntry);
  await expect(cassette.entries()).rejects.toThrow(`${path}:1 is not a recorded call of version 1.`);
});

test('the digest depends on the content of a request, not on the order of keys', () => {
  const request = userRequest('Hi', { parameters: { temperature: 0, seed: 1 }, cacheKey: 'a' });
  const other = userRequest('Hi', { parameters: { seed: 1, temperature: 0 }, cacheKey: 'b' });
  expect(requestDigest(request)).toBe(requestDigest(other));
  expect(requestDigest(userRequest('Hi!'))).not.toBe(requestDigest(userRequest('Hi')));
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, two) => {
      expect(requestDigest(userRequest(left)) === requestDigest(userRequest(two))).toBe(left === two);
    }),
    { numRuns: 50 },
  );
});
