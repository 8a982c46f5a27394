import type { ScriptedStep } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { findBrowser, openFrontEnd, type OpenedFrontEnd } from './open-front-end.ts';

const browser = await findBrowser();
if (browser === undefined) console.warn('No Chromium is installed: the web front end is NOT tested.');

const finish = (message: string): ScriptedStep => ({ calls: [{ name: 'finish', arguments: { message } }] });
const write = (name: string, text = ''): ScriptedStep => ({
  text,
  calls: [{ name: 'terminal', arguments: { command: `echo hi > ${name}`, summary: `Write ${name}` } }],
});

async function statusOf({ page, api }: OpenedFrontEnd): Promise<unknown> {
  const info = await api('GET', `/api/conversations/${page.url().split('/').at(-1)}`);
  return typeof info === 'object' && info && 'execution_status' in info ? info.execution_status : undefined;
}

test.skipIf(browser === undefined)(
  'the web front end starts, sends, watches, stops, reloads, renames, lists and deletes',
  { timeout: 300_000 },
  async () => {
    const hang: ScriptedStep = { fault: { kind: 'hang', afterPieces: 0 } };
    await using opened = await openFrontEnd(browser ?? '', [
      write('hello.txt', 'Writing it.'),
      finish('All is written.'),
      hang,
      finish('Second answer.'),
    ]);
    const { page, send } = opened;
    expect(page.url()).not.toContain('key');

    await send('Please write hello.txt');
    await page.getByText('All is written.').waitFor();
    await page.getByText('Write hello.txt').first().waitFor();

    await page.reload();
    await page.getByText('All is written.').waitFor();
    // The front end lists files when it opens a conversation, and not after commands.
    await page.getByTestId('file-tree-file-hello.txt').waitFor({ state: 'attached' });
    expect(await page.getByText('404').count()).toBe(0);
    expect(opened.refused).toEqual([]);
    expect(opened.sentElsewhere).toEqual([]);
    await send('Think for long');
    await page.getByTestId('stop-button').click();
    await expect.poll(() => statusOf(opened), { timeout: 60_000 }).toBe('paused');
    await send('Go on');
    await page.getByText('Second answer.').waitFor();

    await page.locator('[data-testid="ellipsis-button"]:visible').first().click();
    await page.getByTestId('rename-button').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('The renamed one');
    await page.keyboard.press('Enter');
    await page.reload();
    await page.getByText('The renamed one').first().waitFor();

    await page.goto(`${opened.url}/settings`);
    await page.getByText('default').first().waitFor();
    await page.goto(opened.url);
    await page.getByText('The renamed one').first().click();
    await page.getByText('Second answer.').waitFor();

    await page.locator('[data-testid="ellipsis-button"]:visible').first().click();
    await page.getByTestId('delete-button').click();
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page.getByText('The renamed one').first().waitFor({ state: 'detached' });
    expect(await opened.api('GET', '/api/conversations/count')).toBe(0);
  },
);

test.skipIf(browser === undefined)(
  'the web front end asks before a call, and continues after the approval',
  { timeout: 300_000 },
  async () => {
    await using opened = await openFrontEnd(browser ?? '', [write('approved.txt'), finish('Approved and done.')]);
    const { page, send, api } = opened;
    await api('PATCH', '/api/settings', {
      conversation_settings_diff: { confirmation_mode: true, security_analyzer: 'none' },
    });
    await page.reload();
    await send('Do it');
    const approve = page.getByTestId('action-confirm-button');
    await approve.waitFor();
    await expect.poll(() => statusOf(opened), { timeout: 60_000 }).toBe('waiting_for_confirmation');
    await approve.click();
    await page.getByText('Approved and done.').waitFor();
  },
);
