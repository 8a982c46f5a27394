import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fernet, keyOfPassphrase, privateRecords, secretStore } from '@varve/settings/secrets';
import { describe, expect, onTestFinished, test } from 'vitest';
import { referenceKeys } from './reference-keys.ts';

const passphrase = 'a passphrase of the tests';
const openai = 'https://api.openai.com/v1';

/** Returns an agent of the reference with a key in each place that may contain one. */
function agentWith(key: string, address: string | null): object {
  const llm = { model: 'openai/gpt-4o', base_url: address, api_key: key };
  return { kind: 'Agent', llm, condenser: { kind: 'LLMSummarizingCondenser', llm: { ...llm, usage_id: 'condenser' } } };
}

/** Returns what a data directory contains in files, and the cipher that clients and the reference use. */
async function dataDirectory() {
  const home = mkdtempSync(join(tmpdir(), 'varve-reference-keys-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const secrets = secretStore({ home, passphrase });
  await secrets.set('TOKEN', { kind: 'StaticSecret', value: 'sk-of-the-person', description: undefined });
  await privateRecords({ directory: home, cipher: () => secrets.storageCipher() }).write('a', '{"keys":[]}');
  const stored = /gAAAA[\w-]+=*/.exec(readFileSync(join(home, 'secrets.json'), 'utf8'))?.[0] ?? '';
  const cipher = await secrets.cipher();
  const texts: Readonly<Record<string, string>> = {
    'a stored secret': stored,
    'a stored record': readFileSync(join(home, 'a.token'), 'utf8').trim(),
    'a secret that an earlier version stored': cipher.encrypt('{"name":"TOKEN","source":{"value":"sk-of-the-person"}}'),
    'a record that an earlier version stored': cipher.encrypt('{"id":"a","text":"{}"}'),
    'a token of another key': fernet(keyOfPassphrase('other')).encrypt('sk-other'),
  };
  return { cipher, texts };
}

const ofTheReference = fernet(keyOfPassphrase(passphrase)).encrypt('sk-of-the-reference');

test('nothing else that was encrypted is a key, whatever the address', async () => {
  const { cipher, texts } = await dataDirectory();
  for (const [what, text] of Object.entries(texts)) {
    expect(text, what).toMatch(/^gAAAA/);
    for (const address of [null, openai, 'https://example.org/v1']) {
      expect(referenceKeys(agentWith(text, address), cipher, ['https://example.org']), what).toEqual({
        keys: [],
        withheld: [],
      });
    }
  }
});

describe('a key that the reference encrypted', () => {
  const cipher = fernet(keyOfPassphrase(passphrase));
  const addressesOf = (address: string | null, named: readonly string[] = []) => {
    const { keys, withheld } = referenceKeys(agentWith(ofTheReference, address), cipher, named);
    return { keys: [...new Set(keys.map(({ baseUrl }) => baseUrl))], withheld };
  };

  test.for([null, openai, 'https://openrouter.ai/api/v1', 'https://API.openai.com:443/v1'])(
    'is sent to the known provider at %s',
    (address) => expect(addressesOf(address)).toEqual({ keys: [address ?? openai], withheld: [] }),
  );

  test.for([
    'http://api.openai.com/v1',
    'https://api.openai.com:8443/v1',
    'https://api.openai.com.example.org/v1',
    'https://api.openai.com@example.org/v1',
    'https://example.org/https://api.openai.com/v1',
    'http://127.0.0.1:9/v1',
    'http://localhost:11434/v1',
    'http://169.254.169.254/v1',
    'api.openai.com/v1',
  ])('is sent to %s only if the person names it', (address) => {
    expect(addressesOf(address)).toEqual({ keys: [], withheld: [address] });
    const origin = URL.parse(address)?.origin;
    const isNamed = origin !== undefined && origin !== 'null';
    expect(addressesOf(address, [openai, `${origin}/other`]).keys).toEqual(isNamed ? [address] : []);
  });
});
