import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    conversations: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const seconds = Number(values.seconds);
const start = performance.now();
console.log(`seed ${values.seed}`);
const result = await runChaos({
  seconds,
  conversations: Number(values.conversations),
  seed: Number(values.seed),
  log: (line) => console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s  ${line}`),
});
const { violations, histories, ...counts } = result;
console.log(counts);
for (const violation of violations) console.log(violation);
if (violations.length > 0) {
  const path = join(tmpdir(), `chaos-${values.seed}.json`);
  writeFileSync(path, JSON.stringify(histories, null, 1));
  console.log(`histories with violations: ${path}`);
}
console.log(violations.length === 0 ? 'no violation' : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
