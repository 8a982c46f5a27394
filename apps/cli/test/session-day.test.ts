import { expect, test } from 'vitest';
import { workForADay } from './session-day.ts';
import { openWindow } from './session-window.ts';

/** The documents contain colours. */
const env = { NO_COLOR: '' };

test('a person works for a day: approves, rejects, queues, interrupts, goes back, copies, leaves and resumes', async () => {
  await workForADay({
    open: (args, home) => openWindow(args, home, { env }),
    async onPicture(name, window) {
      // The code of the reply is highlighted later.
      if (name === 'session') await window.writes('\u001B[33m2\u001B[39m);');
      await expect(await window.svg()).toMatchFileSnapshot(`../../../docs/screens/${name}.svg`);
    },
  });
});
