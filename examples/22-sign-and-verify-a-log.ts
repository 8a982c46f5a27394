// Signs every event when it is stored, and later proves that a log is unchanged: an edit in one file is detected.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { directoryStore } from '@varve/storage/directory';
import { ed25519Signer, verify } from '@varve/storage';
import { finish } from '@varve/tools';

const root = await mkdtemp(join(tmpdir(), 'signed-'));
// A private key, kept outside the log: 32 random bytes in production, fixed bytes here.
const signingKey = ed25519Signer(new Uint8Array(32).fill(7));
const agent = defineAgent({ model: scriptedModel([{ text: 'Paid 10.' }]), tools: [finish()], signingKey });
const id = '7'.repeat(32);

{
  await using store = await directoryStore({ path: root });
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  await conversation.send('Pay 10.');
  await conversation.run();
}

async function check(what: string): Promise<void> {
  await using store = await directoryStore({ path: root });
  const options = { trusted: [signingKey.did], mustBeSigned: () => true };
  const { head, sealed, signedEvents, broken } = await verify(await store.read(id), options);
  console.log(`${what}: ${head} events, ${sealed} as they were sealed, ${signedEvents} signed`);
  if (broken) console.log(`  event ${broken.seq} is ${broken.reason}: ${broken.message}`);
}

await check('as written');

// An edit of the amount, directly in the file.
const events = join(root, id, 'events');
for (const name of await readdir(events)) {
  const text = await readFile(join(events, name), 'utf8');
  if (text.includes('Paid 10.')) await writeFile(join(events, name), text.replace('Paid 10.', 'Paid 90.'));
}
await check('as edited');

await rm(root, { recursive: true });
