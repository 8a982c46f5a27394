import { expect, test } from 'vitest';
import { text } from '@varve/events';
import { toolText } from './tool-text.ts';

test('a long tool result keeps its head and tail, with a note of how much is missing', () => {
  const whole = `head${'x'.repeat(60_000)}tail`;
  const cut = toolText([text(whole)]);
  expect(cut).toMatch(/^headx+\n\[… 10008 of 60008 characters left out here …\]\nx+tail$/);
  expect(cut.length).toBe(50_000);
  expect(toolText([text('short')])).toBe('short');
});
