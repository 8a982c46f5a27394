import {
  type LogReader,
  memoryStore,
  ed25519Signer,
  type EventProof,
  verify,
  type VerifyOptions,
} from '@varve/storage';
import { describe, expect, test } from 'vitest';
import { describeVerdict } from './describe-verdict.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const store = memoryStore({ now: () => 1 });
const log = await store.create('c', {});
await log.append([0, 1].map((n) => ({ id: `e${n}`, kind: 'PauseEvent', parentId: undefined, text: '{}' })));
await log.append([{ id: 'e2', kind: 'PauseEvent', parentId: undefined, text: '{}' }], { signer });
const { seal } = await verify(log);

const without = (change: (proof: EventProof) => EventProof, isSealed: boolean): LogReader => ({
  ...log,
  proof: {
    page: async (from, to) => ((await log.proof?.page(from, to)) ?? []).map((proof) => change(proof)),
    end: async () => (isSealed ? log.proof?.end() : undefined),
  },
});

const logs: Readonly<Record<string, LogReader>> = {
  'sealed and signed': log,
  sealed: without((proof) => ({ ...proof, statements: [] }), true),
  'without seals': without((proof) => ({ ...proof, seal: undefined, statements: [] }), false),
  'signed without seals': without((proof) => ({ ...proof, seal: undefined }), false),
  'without its end': without((proof) => (proof.seq < 2 ? proof : { ...proof, seal: undefined, statements: [] }), false),
  'that lost a seal': without((proof) => (proof.seq === 1 ? { ...proof, seal: undefined } : proof), true),
};

const options: Readonly<Record<string, VerifyOptions>> = {
  nothing: {},
  'a key': { trusted: [signer.did] },
  'a key that must have signed': { trusted: [signer.did], requireSigned: true },
  'another key': { trusted: [ed25519Signer(new Uint8Array(32).fill(2)).did], requireSigned: true },
  'the head': { known: { seal } },
  'another head': { known: { seal: 'a'.repeat(64) } },
  seals: { requireSeals: true },
};

describe.for(Object.entries(logs))('a log %s', ([, reader]) => {
  test.for(Object.entries(options))('is described as it is proven, with %s', async ([, choice]) => {
    const verdict = await verify(reader, choice);
    const { proven, broken, sealed, signedLater } = verdict;
    const text = describeVerdict(verdict).join('\n');
    const isGood = broken === undefined;
    expect({
      failed: text.startsWith('Verification failed'),
      ok: text.startsWith('OK: '),
      nothing: text.includes('nothing is proven'),
      seals: text.includes('Excluded: bit rot'),
      key: text.includes(', signed by a trusted key.'),
      head: text.includes(', covered by the known seal.'),
      later: text.includes('Signed only with a later event: events 0 to 1.'),
    }).toEqual({
      failed: !isGood,
      ok: isGood && sealed > 0,
      nothing: isGood && proven.excludes === 'nothing',
      seals: isGood && proven.excludes === 'careless-edits',
      key: isGood && proven.by === 'trusted-key',
      head: isGood && proven.by === 'known-seal',
      later: isGood && signedLater.length > 0,
    });
  });
});
