import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { deliveryHeaders } from './delivery-headers.ts';
import { webhookOptions, type WebhookInput } from './webhook-options.ts';

const key = 'key-of-the-tests';
const base_url = 'https://hooks.example.com/varve';

function headersOf(input: Partial<WebhookInput> = {}, clock = { now: 1_614_265_330_000 }) {
  const [receiver] = webhookOptions([{ base_url, ...input }], {});
  if (!receiver) throw new Error('There is no receiver.');
  let ids = 0;
  return deliveryHeaders(receiver, { key, now: () => clock.now, newId: () => `id${(ids += 1)}` });
}

/** Checks a signature as receivers do. */
function isSigned(headers: Readonly<Record<string, string>>, body: string, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': sent } = headers;
  const bytes = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64');
  return sent === `v1,${expected}`;
}

test.for<readonly [string, boolean]>([
  ['https://hooks.example.com', true],
  ['http://127.0.0.1:9', true],
  ['http://[::1]:9', true],
  ['http://localhost:9', true],
  ['http://hooks.example.com', false],
  ['http://10.0.0.7', false],
  ['http://127.0.0.1.example.com', false],
])('a receiver at %s is sent the key of the server: %s', ([url, isSent]) => {
  expect(headersOf({ base_url: url })('[]').signed()['X-Session-API-Key']).toBe(isSent ? key : undefined);
});

test('a receiver that wants no key is sent none, and keeps its own headers', () => {
  const headers = headersOf({ send_key: false, headers: { 'X-Session-API-Key': 'of the receiver' } })('[]').signed();
  expect(headers['X-Session-API-Key']).toBe('of the receiver');
});

test('each delivery is signed with the secret of its receiver, and its attempts have one id', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const clock = { now: 1_614_265_330_500 };
  const deliver = headersOf({ secret }, clock);
  const first = deliver('[1]');
  expect(first.signed()).toMatchObject({ 'webhook-id': 'msg_id1', 'webhook-timestamp': '1614265330' });
  expect(isSigned(first.signed(), '[1]', secret)).toBe(true);
  clock.now += 5_000;
  expect(first.signed()).toMatchObject({ 'webhook-id': 'msg_id1', 'webhook-timestamp': '1614265335' });
  expect(isSigned(first.signed(), '[1]', secret)).toBe(true);
  expect(isSigned(first.signed(), '[2]', secret)).toBe(false);
  expect(deliver('[1]').id).toBe('msg_id2');
});

test('the example of Standard Webhooks has its signature', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const [receiver] = webhookOptions([{ base_url, secret }], {});
  const parts = { key, now: () => 1_614_265_330_000, newId: () => 'p5jXN8AQM9LWM0D4loKWxJek' };
  const headers = receiver && deliveryHeaders(receiver, parts)('{"test": 2432232314}').signed();
  expect(headers?.['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('without a secret it follows from the key and the address, and a secret of another form is refused', () => {
  const derived = createHmac('sha256', key).update(`varve webhook ${base_url}`).digest('base64');
  expect(isSigned(headersOf()('[]').signed(), '[]', derived)).toBe(true);
  for (const secret of ['', 'secret', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_***']) {
    expect(() => webhookOptions([{ base_url, secret }], {})).toThrow('The webhooks are invalid: 0.secret.');
  }
});
