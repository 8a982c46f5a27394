import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { OutputBuffer } from './output-buffer.ts';
import { SessionOutput } from './session-output.ts';

const secret = 'swordfish of the conversation: 0123456789abcdef';
const base64 = Buffer.from(`x${secret}`).toString('base64');
const spellings = [secret, Buffer.from(secret).toString('hex'), encodeURIComponent(secret), base64];

const text = fc
  .array(fc.oneof(fc.constantFrom(...spellings), fc.string({ unit: 'binary-ascii', maxLength: 40 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join('\n'));

/** Pushes a text in pieces that end at the given places, and returns everything that is shown and saved. */
async function shownAndSaved(whole: string, cuts: readonly number[], takes: boolean): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-output-'));
  try {
    const buffer = new OutputBuffer({ maxChars: 120, directory, maxSavedBytes: 100_000 });
    const output = new SessionOutput({
      output: buffer,
      redactor: redactor([secret], { replacement: '<hidden>' }),
      answer: () => undefined,
    });
    const bytes = Buffer.from(whole);
    const ends = [...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
    const taken: { readonly text: string; readonly file?: string }[] = [];
    let start = 0;
    for (const end of ends) {
      output.push(bytes.subarray(start, end));
      start = end;
      if (takes) taken.push(output.take());
    }
    output.flush();
    taken.push(output.takeAll());
    const files = taken.flatMap(({ file }) => file ?? []);
    const saved = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return [taken.map((piece) => piece.text).join(''), ...saved].join('\n');
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('no part of a secret is shown or saved, wherever the output is divided, truncated or taken', async () => {
  const cuts = fc.array(fc.nat(), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(text, cuts, fc.boolean(), async (whole, places, takes) => {
      const result = await shownAndSaved(whole, places, takes);
      for (const spelling of spellings) {
        for (const part of [spelling.slice(2, 14), spelling.slice(-14, -2), spelling.slice(20, 32)]) {
          expect(result).not.toContain(part);
        }
      }
    }),
    { numRuns: 200 },
  );
});
