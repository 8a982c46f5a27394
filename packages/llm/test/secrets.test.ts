import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dumpCalls } from '../src/wrappers/dumps/dump-calls.ts';
import { dumpingFetch } from '../src/wrappers/dumps/dumping-fetch.ts';
import { dumpFolder } from '../src/wrappers/dumps/dump-folder.ts';
import { openaiChat, type OpenAiChatOptions } from '../src/chat/openai-chat.ts';
import { openaiResponses } from '../src/responses/openai-responses.ts';
import { retry } from '../src/retry.ts';
import { userRequest, scriptedResponses, scriptedServer, type ScriptedStep } from '../src/testing/index.ts';
import { cassetteFile } from '../src/wrappers/cassette.ts';
import { recordCalls } from '../src/wrappers/record-calls.ts';

const opaque = fc.string({
  unit: fc.constantFrom(...'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'.split('')),
  minLength: 20,
  maxLength: 48,
});
const keys = fc.oneof(
  opaque,
  opaque.map((rest) => `sk-proj-${rest}`),
  fc.uuid(),
  fc.base64String({ minLength: 24, maxLength: 60 }),
  // Any characters that a header may contain.
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code)),
    minLength: 16,
    maxLength: 40,
  }),
);

/** Encodings in which a server returns a key. */
const spellings: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'in a header': (key) => `Authorization: Bearer ${key}`,
  'in a query': (key) => `https://x.test/v1?api_key=${encodeURIComponent(key)}&a=1`,
  'in a path': (key) => `https://x.test/${encodeURI(key)}/v1`,
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in the base64 of a login': (key) => Buffer.from(`user:${key}`).toString('base64'),
  'in the base64 of a header': (key) => Buffer.from(`Bearer ${key}\r\n`).toString('base64url'),
  'in JSON within JSON': (key) => JSON.stringify({ headers: { authorization: `Bearer ${key}` } }),
  'in hex': (key) => Buffer.from(key).toString('hex'),
};

/** Places in which a server returns it; the filler moves it to the position at which texts are cut. */
const places: Readonly<Record<string, (encoded: string, filler: string) => ScriptedStep>> = {
  message: (encoded, filler) => answer(400, { error: { message: `${filler} ${encoded}` } }),
  code: (encoded) => answer(401, { error: { code: encoded, message: '' } }),
  detail: (encoded, filler) => answer(422, { detail: `${filler} ${encoded}` }),
  'an error forwarded by a router': (encoded, filler) =>
    answer(400, { error: { message: 'No.', metadata: { raw: filler + encoded } } }),
  'an unknown object': (encoded, filler) => answer(500, { weird: { [filler]: encoded } }),
  text: (encoded, filler) => answer(500, `${filler} ${encoded}`),
  'a title': (encoded, filler) => answer(502, `<html><title>${filler} ${encoded}</title></html>`),
  'an answer of 200': (encoded, filler) => answer(200, `${filler}${encoded}`),
  'an error of 200': (encoded, filler) => answer(200, { error: `${filler} ${encoded}` }),
  'a redirect': (encoded) => answer(307, '', { location: `https://elsewhere.test/${encoded}` }),
  'a chunk that is not JSON': (encoded, filler) => stream(`data: {${filler}${encoded}`),
  'an error event': (encoded, filler) => stream(`event: error\ndata: ${filler} ${encoded}`),
  'an error in a stream': (encoded, filler) =>
    stream(`data: ${JSON.stringify({ error: { message: filler + encoded } })}`),
};

function answer(status: number, body: string | object, headers: Readonly<Record<string, string>> = {}): ScriptedStep {
  const sent = typeof body === 'string' ? body : { ...body };
  return { fault: { kind: 'answer', status, body: sent, headers } };
}

function stream(block: string): ScriptedStep {
  return answer(200, `${block}\n\n`, { 'content-type': 'text/event-stream' });
}

/** Parts of this length may not occur in any encoding: a truncated key is still most of a key. */
const part = 12;

function partsOf(key: string): readonly string[] {
  const whole = [key, Buffer.from(key).toString('hex'), encodeURIComponent(key), JSON.stringify(key).slice(1, -1)];
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + key)
      .toString('base64')
      .slice(4, -4),
  );
  return [...whole, ...base64].flatMap((each) =>
    Array.from({ length: Math.max(0, each.length - part + 1) }, (_, at) => each.slice(at, at + part)),
  );
}

/** Returns all text stored for calls that end in these ways. */
async function keptOf(
  key: string,
  steps: readonly ScriptedStep[],
  options: Partial<OpenAiChatOptions> & { readonly isChat: boolean },
): Promise<string> {
  const { isChat, ...rest } = options;
  const path = mkdtempSync(join(tmpdir(), 'varve-secrets-'));
  const folder = dumpFolder({ path: join(path, 'dumps'), secrets: [key] });
  const cassette = cassetteFile(join(path, 'cassette'));
  const failures: unknown[] = [];
  await using server = await (isChat ? scriptedServer(steps) : scriptedResponses(steps));
  const adapter = (isChat ? openaiChat : openaiResponses)({
    model: 'm',
    apiKey: key,
    baseUrl: server.url,
    fetch: dumpingFetch(folder, { requests: true, responses: true }),
    ...rest,
  });
  const patient = retry({ attempts: 1, onRetry: ({ error }) => failures.push(error) });
  const model = recordCalls({ record: cassette.record, secrets: [key] })(
    dumpCalls(folder, { snapshots: true })(patient(adapter)),
  );
  for (let count = 0; count < steps.length; count += 1) {
    await model.generate(userRequest(`Hi, not ${key}`)).catch((error: unknown) => failures.push(error));
  }
  await folder.flush();
  const dumps = readdirSync(join(path, 'dumps')).map((name) => readFileSync(join(path, 'dumps', name), 'utf8'));
  const errors = inspect(failures, { depth: 20, showHidden: true, maxStringLength: Infinity });
  return [errors, ...dumps, JSON.stringify(await cassette.entries())].join('\n');
}

const filler = fc.integer({ min: 0, max: 320 }).map((length) => 'no '.repeat(110).slice(0, length));

test('errors, dumps and cassettes contain no key, wherever and in whatever encoding a server returns it', async () => {
  const property = fc.asyncProperty(
    keys,
    fc.constantFrom(...Object.values(spellings)),
    filler,
    fc.record({ isChat: fc.boolean(), stream: fc.boolean() }),
    async (key, spell, before, options) => {
      const steps = Object.values(places).map((place) => place(spell(key), before));
      const kept = await keptOf(key, steps, options);
      expect(partsOf(key).filter((each) => kept.includes(each))).toEqual([]);
    },
  );
  // Without shrinking, which takes minutes, and with a fixed seed.
  await fc.assert(property, { numRuns: 12, seed: 1, endOnFailure: true });
}, 60_000);

test('a key in a custom header, or in a login, is masked in the same way', async () => {
  for (const key of ['0123456789abcdefghij', 'pass/word+with=signs"and\\more']) {
    const headers = { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}`, 'x-api-key': key };
    const steps = Object.values(spellings).map((spell) => answer(401, { error: { message: spell(key) } }));
    const kept = await keptOf(key, steps, { isChat: true, headers, apiKey: 'none-at-all' });
    expect(partsOf(key).filter((each) => kept.includes(each))).toEqual([]);
  }
});

test('dumps of requests and responses contain no keys of headers, even when they are not listed as secrets', async () => {
  const key = '0123456789abcdefghij';
  const path = mkdtempSync(join(tmpdir(), 'varve-secrets-'));
  const folder = dumpFolder({ path });
  await using server = await scriptedServer([answer(401, { error: { message: `No ${btoa(key)}, ${key}` } })]);
  const fetch = dumpingFetch(folder, { requests: true, responses: true });
  const model = openaiChat({ model: 'm', apiKey: key, baseUrl: server.url, fetch });
  await expect(model.generate(userRequest(`Hi, not ${key}`))).rejects.toMatchObject({ code: 'unauthenticated' });
  await folder.flush();
  const dumps = readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'));
  expect(dumps).toHaveLength(2);
  expect(partsOf(key).filter((each) => dumps.join('').includes(each))).toEqual([]);
});

test('a key at the end of a quotation is masked completely', async () => {
  const key = '0123456789abcdefghijKLMNOPQRSTUVWXYZ';
  for (const length of [60, 70, 80, 90]) {
    const body = `${'x'.repeat(length)} ${key}`;
    const steps = [answer(200, body), stream(`data: {${body}`), answer(500, body), answer(400, { detail: body })];
    const kept = await keptOf(key, steps, { isChat: true });
    expect(partsOf(key).filter((each) => kept.includes(each))).toEqual([]);
  }
});

test.for([
  [
    'in base64',
    'sk-proj-Lo6jt5r6Jk4rRJtaTPvvdgKKFMvfvBEes6UX',
    (key: string) => Buffer.from(`Bearer ${key}`).toString('base64'),
  ],
  ['with the sign of a tag', "{7c)'9AjPW&W:[~ton<Emx_aza%oe", (key: string) => `Bearer ${key}`],
] as const)('of a key %s at any place in the title of a page no part is left', async ([, key, spell]) => {
  const lengths = Array.from({ length: 70 }, (_, index) => 230 + index);
  const titles = lengths.map((length) => `${'no '.repeat(100).slice(0, length)} ${spell(key)}`);
  const steps = titles.map((title) => answer(502, `<html><title>${title}</title></html>`));
  const kept = await keptOf(key, steps, { isChat: true });
  expect(partsOf(key).filter((each) => kept.includes(each))).toEqual([]);
});

test('other text is unchanged', async () => {
  const kept = await keptOf('0123456789abcdefghij', [answer(400, { error: { message: 'The field x is wrong.' } })], {
    isChat: true,
  });
  expect(kept).toContain('m at http');
  expect(kept.match(/The field x is wrong\./g)?.length).toBeGreaterThanOrEqual(4);
});
