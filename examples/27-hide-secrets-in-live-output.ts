// Hides secrets in output that is shown as it arrives: a secret may be encoded, and may be cut in two.
import { setTimeout } from 'node:timers/promises';
import { redactor } from '@varve/text';

const password = 'Key/with+marks=1';
const { stream, value } = redactor([password], { replacement: '<secret-hidden>' });

const login = Buffer.from(`me:${password}`).toString('base64');
const output = [`> Authorization: Basic ${login.slice(0, 9)}`, `${login.slice(9)}\n> Location: /?key=Key%2F`];
const live = stream();
for (const piece of [...output, 'with%2Bmarks%3D1\n']) {
  process.stdout.write(live.push(piece));
  await setTimeout(1);
}
process.stdout.write(live.end());

console.log(value({ arguments: String.raw`{"header":"Key/with\u002Bmarks=1"}` }));
