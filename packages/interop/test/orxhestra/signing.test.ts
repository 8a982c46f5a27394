import { ed25519Signer } from './signer.ts';
import { describe, expect, test } from 'vitest';
import { sha256, canonicalJson, parseExactJson } from '../../src/orxhestra/canonical-json.ts';
import { eventOf, newEvent, noActions, textPart, type Event } from '../../src/orxhestra/event.ts';
import { signEvents, verifyEvents, signEvent, signablePayload, verifySignature } from '../../src/orxhestra/trust.ts';

/** Key of RFC 8032, section 7.1, test 1. */
const signer = ed25519Signer(Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex'));
const common = {
  invocation_id: 'inv-1',
  session_id: 'sess-1',
  author: 'coder',
  agent_name: 'coder',
  branch: 'root',
  signer_did: 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw',
};
const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const answer = newEvent({
  ...common,
  id: id(1),
  type: 'agent_message',
  timestamp: 1778406019.5,
  content: { role: null, parts: [textPart('hello')] },
  signature: '7OeXTUwwVUJY15xMN_soWtTClEFk5Mcly39f1dDmMxRiH9h-crDwtWuKsaIlloC-QpV1vUSHAE13ER21Mo6rCA==',
});
const args = { cmd: 'ls -la', n: 2, b: true, é: 'e\u0301' };
const call = newEvent({
  ...common,
  id: id(2),
  type: 'agent_message',
  timestamp: 1778406020,
  content: {
    role: null,
    parts: [{ type: 'tool_call', tool_call_id: 'call_1', tool_name: 'shell', args, metadata: {} }],
  },
  actions: { ...noActions, state_delta: { k: 'v' } },
  llm_response: { text: '', model_version: 'm-1' },
  signature: 'khpGaqXzmyd8R0f_VF2Qq_uu_8AhZDuo38JBUX8GvYzo_Xwyk14FcuR7LQpOlrq9OtFcGAVQ6xHl-sWmrK4FBA==',
  prev_signature: answer.signature,
});
const response = { type: 'tool_response', tool_call_id: 'call_1', tool_name: 'shell', result: 'total 0' } as const;
const result = newEvent({
  ...common,
  id: id(3),
  type: 'tool_response',
  timestamp: 1778406021.25,
  content: { role: null, parts: [{ ...response, error: null, metadata: {} }] },
  signature: 'XLRmQbTPreQl2lC-kCihCL429-vw_8Aq3dCv6a0c8ZNL89FpZf6Gb8QLoTfLTAgpTJmDrbGWrwhXFmzxcRIUBw==',
  prev_signature: call.signature,
});
const chain = [answer, call, result];

const agentEvent = (number: number, fields: Partial<Event>): Event =>
  newEvent({ ...common, signer_did: '', id: id(number), type: 'agent_message', timestamp: number, ...fields });

describe('signatures of orxhestra', () => {
  test.for([
    [answer, 'd59c9b8f9208a12f8b75fa81e8213ecaa54087cccb500393bf27406217cfb419'],
    [call, 'abfc41f0592d848a69fcefce40a5af3d11e70a2925fc1742dc2c465fd115409c'],
    [result, 'eec79bdbf0f8aa5bc465c9d4763607e215c2ed1b982ae3fe4dd79d261f73e926'],
  ] as const)('a payload has the digest of the original and its signature is valid', ([event, digest]) => {
    expect(sha256(canonicalJson(signablePayload(event)))).toBe(digest);
    expect(verifySignature(event)).toBe('ten-keys');
    expect(signEvent({ ...event, signature: null }, signer).signature).toBe(event.signature);
  });

  test('the payload is the one of the original byte for byte', () => {
    expect(canonicalJson(signablePayload(answer))).toBe(
      '{"actions":{"state_delta_hash":"","transfer_to_agent":""},"agent_name":"coder","branch":"root",' +
        '"content_text":"hello","id":"00000000-0000-4000-8000-000000000001","llm_response":{},"prev_signature":"",' +
        '"timestamp":1778406019.5,"tool_calls":[],"type":"agent_message"}',
    );
    expect(canonicalJson(args)).toBe('{"b":true,"cmd":"ls -la","n":2,"é":"é"}'.normalize('NFC'));
  });

  test.for<readonly [string, Partial<Event>, 'valid' | 'invalid']>([
    ['its id', { id: id(9) }, 'invalid'],
    ['its time', { timestamp: 1 }, 'invalid'],
    ['its text', { content: { role: null, parts: [textPart('other')] } }, 'invalid'],
    ['its branch', { branch: 'root.other' }, 'invalid'],
    ['its transfer', { actions: { ...noActions, transfer_to_agent: 'other' } }, 'invalid'],
    ['its state', { actions: { ...noActions, state_delta: { k: 1 } } }, 'invalid'],
    ['the signature before it', { prev_signature: result.signature }, 'invalid'],
    ['the signer', { signer_did: 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH' }, 'invalid'],
    ['the signer to none', { signer_did: '' }, 'invalid'],
    ['the padding', { signature: String(answer.signature).replaceAll('=', '') }, 'invalid'],
    ['the unused bits', { signature: String(answer.signature).replace('A==', 'B==') }, 'invalid'],
    ['a character that is none of base64', { signature: `!${answer.signature}` }, 'invalid'],
    ['the text to a lone surrogate', { content: { role: null, parts: [textPart('\ud800')] } }, 'invalid'],
    ['metadata, which are not covered', { metadata: { error: true } }, 'valid'],
    ['the author, which is not covered', { author: 'other' }, 'valid'],
  ])('after a change of %s the signature is %s', ([, change, state]) => {
    expect(verifySignature({ ...answer, ...change }) !== undefined).toBe(state === 'valid');
  });

  test('a signature over six keys is valid only where it is accepted, and the scheme is reported', () => {
    const bytes = Buffer.from(canonicalJson(signablePayload(call, 'six-keys')));
    const signature = Buffer.from(signer.sign(bytes)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    const legacy = { ...call, signature };
    expect(verifySignature(legacy)).toBeUndefined();
    expect(verifySignature(legacy, { schemes: ['ten-keys', 'six-keys'] })).toBe('six-keys');
    expect(verifySignature(call, { schemes: ['ten-keys', 'six-keys'] })).toBe('ten-keys');
  });

  test('whole numbers beyond 2^53 keep their digits', () => {
    const text = '{"n":12345678901234567890,"f":1.5}';
    expect(canonicalJson(parseExactJson(text))).toBe('{"f":1.5,"n":12345678901234567890}');
    const event = eventOf(parseExactJson(`{"type":"user_message","actions":{"state_delta":${text}}}`));
    expect(canonicalJson(event?.actions.state_delta)).toContain('12345678901234567890');
  });

  test.for([
    [-0, '-0.0'],
    [1e21, '1000000000000000000000'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1.5e-7, '-1.5e-07'],
    [5e-324, '5e-324'],
    [['\u2028', '\u0001', '"\\\n'], '["\u2028","\\u0001","\\"\\\\\\n"]'],
    [{ '\u{10000}': 1, '\uffff': 2, 'e\u0301': null }, '{"é":null,"\uffff":2,"\u{10000}":1}'],
  ] as const)('%j is printed as Python prints it', ([value, printed]) => {
    expect(canonicalJson(value)).toBe(printed.normalize('NFC'));
  });

  test.for([[NaN], [Infinity], [{ '\udfff': 1 }]])('%j cannot be signed', ([value]) => {
    expect(() => canonicalJson(value)).toThrow('cannot be signed');
  });
});

describe('a chain of signatures', () => {
  const policy = { trusted: [signer.did], mustBeSigned: ['agent_message', 'tool_response'], chain: 'log' } as const;
  const problems = (events: readonly Event[], changes: Parameters<typeof verifyEvents>[1] = policy) =>
    verifyEvents(events, changes).map(({ problem }) => problem ?? 'ok');

  test('of the original is accepted, and a missing event breaks it', () => {
    expect(problems(chain)).toEqual(['ok', 'ok', 'ok']);
    expect(problems([answer, result])).toEqual(['ok', 'broken chain']);
    expect(problems([call, answer, result])).toEqual(['broken chain', 'ok', 'broken chain']);
  });

  test('is signed per branch, without messages of the user, compactions and partial events', () => {
    const compaction = { start_timestamp: 1, end_timestamp: 2, summary: '', event_count: 1 };
    const signed = signEvents(
      [
        agentEvent(1, { type: 'user_message', author: 'user' }),
        agentEvent(2, { partial: true }),
        agentEvent(3, {}),
        agentEvent(4, { branch: 'root.child' }),
        agentEvent(5, { actions: { ...noActions, compaction } }),
        agentEvent(6, {}),
      ],
      signer,
    );
    expect(signed.map(({ signature }) => signature !== null)).toEqual([false, true, true, true, false, true]);
    const previous = signed.map(({ prev_signature }) => prev_signature);
    expect(previous).toEqual([null, null, null, null, null, signed[2]?.signature]);
    expect(problems(signed, { chain: 'log' })).toEqual(Array.from({ length: 6 }, () => 'ok'));
  });

  test('may start again with each invocation, as the runner of orxhestra lets it', () => {
    const next = signEvent({ ...answer, id: id(7), invocation_id: 'inv-2', prev_signature: null }, signer);
    expect(problems([...chain, next])).toEqual(['ok', 'ok', 'ok', 'broken chain']);
    expect(problems([...chain, next], { ...policy, chain: 'invocation' })).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  test('of other signers is not accepted', () => {
    const unsigned = { ...answer, signature: null };
    expect(problems([unsigned, { ...call, id: id(8) }])).toEqual(['unsigned', 'invalid signature']);
    expect(problems([answer], { trusted: [] })).toEqual(['unknown signer']);
    expect(problems([answer], { trusted: [signer.did], denied: [signer.did] })).toEqual(['denied signer']);
    expect(problems([unsigned], {})).toEqual(['ok']);
  });

  test('by a DID with the fragment of its key is that of the key, and with another fragment is invalid', () => {
    const key = signer.did.slice('did:key:'.length);
    const named = signEvent({ ...answer, id: id(9) }, { ...signer, did: `${signer.did}#${key}` });
    expect(problems([named], { trusted: [signer.did] })).toEqual(['ok']);
    expect(problems([named], { denied: [signer.did] })).toEqual(['denied signer']);
    const other = signEvent({ ...answer, id: id(9) }, { ...signer, did: `${signer.did}#other` });
    expect(problems([other], {})).toEqual(['invalid signature']);
  });
});
