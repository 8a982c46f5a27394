import { expect, test } from 'vitest';
import { orxhestraFormat } from '../../src/orxhestra/session-format.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';
import { ed25519Signer } from './signer.ts';
import { eventOf, type Event } from '../../src/orxhestra/event.ts';
import { signEvents } from '../../src/orxhestra/trust.ts';

const signer = ed25519Signer(Buffer.alloc(32, 1));
const other = ed25519Signer(Buffer.alloc(32, 2));
const session = JSON.parse(fixtureText('orxhestra/session.json')) as { readonly events: readonly object[] };
const signed = signEvents(
  session.events.flatMap((event) => eventOf(event) ?? []),
  signer,
);
const count = signed.filter(({ signature }) => signature !== null).length;

async function read(events: readonly unknown[], trusted?: readonly string[], isLines = false) {
  const json = isLines ? events.map((event) => `${JSON.stringify(event)}\n`).join('') : JSON.stringify({ events });
  return readText(json, trusted);
}

async function readText(text: string, trusted?: readonly string[]) {
  const options = { newId: countedIds(), ...(trusted && { trusted }) };
  const [log] = (await orxhestraFormat.read?.(filesOf('s.json', { 's.json': text }), options)) ?? [];
  return log;
}

const indexOf = (type: Event['type']): number => signed.findIndex((event) => event.type === type);

test.for([false, true])('signatures of a log are checked when it is read (as lines: %s)', async (isLines) => {
  const log = await read(signed, undefined, isLines);
  expect(log?.signatures).toEqual({ valid: count, signers: [signer.did], problems: [] });
  expect((await read(session.events, undefined, isLines))?.signatures).toBeUndefined();
});

test('an event that was changed, or is missing, is reported, and the log is read', async () => {
  const at = indexOf('agent_message');
  const changed = await read(signed.with(at, { ...signed[at], agent_name: 'other' } as Event));
  expect(changed?.signatures?.problems[0]).toEqual({ place: `event ${at}`, reason: 'Its signature is invalid.' });
  expect(changed?.entries).toHaveLength((await read(signed))?.entries.length ?? 0);
  const missing = await read(signed.toSpliced(indexOf('tool_response'), 1));
  expect(missing?.signatures?.problems[0]?.reason).toBe('An event before it is missing, or was added.');
});

test('with trusted keys, a log that they did not sign is refused', async () => {
  expect((await read(signed, [other.did, signer.did]))?.signatures?.valid).toBe(count);
  const first = indexOf('agent_start');
  const refused: readonly [readonly unknown[], RegExp][] = [
    [signed, /Its signer is not trusted/],
    [session.events, /It has no signature/],
    [[signed[0]], /no event is signed/],
  ];
  for (const [events, reason] of refused) {
    await expect(read(events, [other.did])).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(reason) as string,
    });
  }
  const unsigned = signed.with(first, { ...signed[first], signature: null } as Event);
  await expect(read(unsigned, [signer.did])).rejects.toThrow(`event ${first}: It has no signature.`);
});

test('signatures cover all digits of a number that a log rounds, and lines with such numbers are read', async () => {
  const call = { type: 'tool_call', tool_call_id: 'c', tool_name: 't', args: { n: 12_345_678_901_234_567_890n } };
  const event = { type: 'agent_message', id: 'e', timestamp: 1, agent_name: 'a', content: { parts: [call] } };
  const [exact] = signEvents(
    [eventOf(event)].flatMap((converted) => converted ?? []),
    signer,
  );
  const line = JSON.stringify(exact, (_key, value: unknown) => (typeof value === 'bigint' ? 'N' : value));
  const log = await readText(`${line}\n${line}\n`.replaceAll('"N"', '12345678901234567890'));
  expect(log?.dropped).toMatchObject([{ subject: 'digits of whole numbers beyond 2^53', count: 2 }]);
  expect(log?.signatures).toMatchObject({ valid: 1, problems: [{ place: 'event 1' }] });
});

/** Changes of an unsigned event of an agent with which it could pass as one that needs no signature. */
const disguises: readonly (readonly [string, (event: Event) => object])[] = [
  ['nothing', (event) => event],
  ['the author system', (event) => ({ ...event, author: 'system' })],
  ['the name of a compaction', (event) => ({ ...event, agent_name: 'compaction' })],
  ['no events in it', (event) => ({ ...event, events: [] })],
  ['an object as its events', (event) => ({ ...event, events: {} })],
  ['the signed events in it', (event) => ({ ...event, events: signed })],
  ['a signed event in it', (event) => ({ ...event, events: [signed.find(({ signature }) => signature !== null)] })],
  ['fields of a session', (event) => ({ app_name: 'a', ...event, events: signed, user_id: 'u' })],
];
const ofAgents = ['agent_message', 'tool_response'] as const;

test.for(disguises.flatMap(([name, change]) => ofAgents.map((type) => [type, name, change] as const)))(
  'an unsigned %s with %s is not trusted, wherever it is added',
  async ([type, , change]) => {
    const event = signed.find((candidate) => candidate.type === type && candidate.partial !== true);
    const added = change({ ...event, id: 'added', signature: null, signer_did: '', prev_signature: null } as Event);
    for (const at of [0, indexOf('tool_response'), signed.length]) {
      for (const isLines of [true, false]) {
        await expect(read(signed.toSpliced(at, 0, added as Event), [signer.did], isLines)).rejects.toMatchObject({
          code: 'invalid',
          message: `The log is not trusted: event ${at}: It has no signature.`,
        });
      }
    }
    await expect(readText(JSON.stringify(added), [signer.did])).rejects.toMatchObject({ code: 'invalid' });
  },
);
