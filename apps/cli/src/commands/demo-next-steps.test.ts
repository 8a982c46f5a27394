import { expect, test } from 'vitest';
import { nextSteps } from './demo-next-steps.ts';

test.for(['varve', 'npx -y pnpm@12 -s start'])('the next steps of the demo fit into 80 columns: %s', (varve) => {
  const rows = nextSteps(varve, '01234567', '');
  const width = Math.max(...rows.map(([command]) => command.length));
  for (const [, what] of rows) expect(`  ${' '.repeat(width)}  ${what}`.length).toBeLessThan(80);
});
