import { join } from 'node:path';
import * as z from 'zod';
import { updateJsonFile } from '../src/files/update-file.ts';

// Adds keys `name-0`, `name-1` … to one file, and prints each when it is stored. Killed by its test.
const [, , home = '', name = ''] = process.argv;
const counts = z.record(z.string(), z.number());
for (let index = 0; ; index += 1) {
  const key = `${name}-${index}`;
  await updateJsonFile(join(home, 'shared.json'), counts, (value) => ({ ...value, [key]: index }), {
    lockFile: join(home, 'settings.lock'),
  });
  process.stdout.write(`${key}\n`);
}
