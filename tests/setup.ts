import { afterEach } from 'vitest';

/** Output of tests since the last one ended. A test that prints makes the report unreadable, so it fails. */
const printed: unknown[][] = [];
for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[method] = (...values: unknown[]) => void printed.push(values);
}
afterEach(() => {
  const texts = printed.splice(0).map((values) => values.join(' '));
  if (texts.length > 0) throw new Error(`The test printed: ${texts.join('\n')}`);
});
