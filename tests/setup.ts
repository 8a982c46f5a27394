import { afterEach } from 'vitest';

/** What tests printed since the last one ended. A test that prints hides what matters in the report, so it fails. */
const printed: unknown[][] = [];
for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[method] = (...values: unknown[]) => void printed.push(values);
}
afterEach(() => {
  const texts = printed.splice(0).map((values) => values.join(' '));
  if (texts.length > 0) throw new Error(`The test printed: ${texts.join('\n')}`);
});
