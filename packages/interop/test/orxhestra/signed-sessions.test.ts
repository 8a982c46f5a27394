import { expect, test } from 'vitest';
import { eventOf, orxhestraFormat, signEvents, type Event } from '../../src/orxhestra/index.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';
import { ed25519Signer } from './signer.ts';

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
    [eventOf(event)].flatMap((one) => one ?? []),
    signer,
  );
  const line = JSON.stringify(exact, (_key, value: unknown) => (typeof value === 'bigint' ? 'N' : value));
  const log = await readText(`${line}\n${line}\n`.replaceAll('"N"', '12345678901234567890'));
  expect(log?.dropped).toMatchObject([{ subject: 'digits of whole numbers beyond 2^53', count: 2 }]);
  expect(log?.signatures).toMatchObject({ valid: 1, problems: [{ place: 'event 1' }] });
});
