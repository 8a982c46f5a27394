import { expect, test } from 'vitest';
import { homeServer } from '../../../test/support/home-server.ts';

/** What a fresh server answers: clients read every field of these documents. */
const documents = {
  settings: '/api/settings',
  'agent-schema': '/api/settings/agent-schema',
  'conversation-schema': '/api/settings/conversation-schema',
  profiles: '/api/profiles',
  secrets: '/api/settings/secrets',
  'agent-profiles': '/api/agent-profiles',
  'agent-profile': '/api/agent-profiles/default',
} as const;

test('the settings documents of a fresh server are those of the golden files', async () => {
  const home = homeServer();
  const texts: Record<string, string> = {};
  for (const [name, path] of Object.entries(documents)) {
    const json = JSON.stringify(await home.call(200, 'GET', path), undefined, 2);
    // Profiles have random ids.
    texts[name] = `${json.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')}\n`;
  }
  for (const [name, text] of Object.entries(texts)) await expect(text).toMatchFileSnapshot(`golden/${name}.json`);
});
