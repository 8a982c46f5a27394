import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAll, typeCheckFile } from './consumer.ts';
import type { Packed } from './packed.ts';
import { run } from './run.ts';

/** Versions that the user of a package may have: the oldest of the peer range, one patch below ours, and the newest. */
export const zodVersions = ['4.3.0', '4.6.6', '4'];

/** Program of a user who defines a tool and an agent with their own copy of zod. */
const program = `
import { createAgent } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { defineTool } from '@varve/tools';
import { z } from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds numbers.',
  input: z.object({
    first: z.number().describe('The first.'),
    others: z.array(z.object({ value: z.number() })).optional(),
    rounding: z.enum(['up', 'down']).default('up'),
  }),
  effect: 'read',
  execute: async ({ first, others = [], rounding }) => {
    const mode: 'up' | 'down' = rounding;
    const sum: number = others.reduce((total, { value }) => total + value, first);
    return String(mode === 'up' ? Math.ceil(sum) : Math.floor(sum));
  },
});
const output = await add.execute(add.parse({ first: 1, others: [{ value: 1.5 }] }), {
  workspace: process.cwd(),
  signal: new AbortController().signal,
  idempotencyKey: 'verify',
});
const agent = createAgent({ model: 'openai/gpt-5', keys: { OPENAI_API_KEY: 'none' }, tools: () => [add] });
console.log(JSON.stringify(output).includes('3'), typeof agent.run, eventCodec(builtinKinds).read('{}').kind);
`;

/**
 * Installs the packages next to a version of zod, compiles a program that uses them with it, and runs the program on
 * each Node.
 *
 * @throws {Error} if one of the steps fails.
 */
export async function useWithZod(
  packed: readonly Packed[],
  zod: string,
  { folder, nodes }: { readonly folder: string; readonly nodes: readonly string[] },
): Promise<void> {
  const libraries = packed.filter((library) => library.folder.startsWith('packages/'));
  await installAll(libraries, folder, { zod });
  await writeFile(join(folder, 'tool.ts'), program);
  await typeCheckFile('tool.ts', folder);
  await writeFile(join(folder, 'tool.mjs'), program.replaceAll(/: ('up' \| 'down'|number) =/g, ' ='));
  for (const node of nodes) {
    const code = ['--no-warnings', join(folder, 'tool.mjs')];
    assert.equal((await run(node, code, folder)).trim(), 'true function OpaqueEvent');
  }
}
