import { server } from '@varve/server';
import { memoryStore } from '@varve/storage';

// Changes settings through a server, and prints each key when the server has answered. Killed by its test.
const [, , home = ''] = process.argv;
const headers = { 'X-Session-API-Key': 'key-of-the-writers', 'content-type': 'application/json' };
const serving = server({ store: memoryStore(), keys: ['key-of-the-writers'], home, env: {} });
for (let index = 0; ; index += 1) {
  const key = `s${index}`;
  const body = JSON.stringify({ misc_settings_diff: { written: { [key]: index } } });
  const { status } = await serving.request('/api/settings', { method: 'PATCH', headers, body });
  if (status !== 200) throw new Error(`The server answered ${status}.`);
  process.stdout.write(`${key}\n`);
}
