import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptedServer, type ScriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { chromium, type Page } from 'playwright-core';
import { signInAddress } from '../../src/http/front-end/sign-in.ts';
import { server } from '../../src/server.ts';
import { testKey } from '../support/requests.ts';

/** A server that serves the web front end, and a browser that opened it. */
export interface OpenedFrontEnd extends AsyncDisposable {
  readonly page: Page;
  readonly url: string;
  readonly model: ScriptedServer;
  /** Requests of the page that the server refused. */
  readonly refused: readonly string[];
  /** Addresses on other machines that the page was allowed to ask. */
  readonly sentElsewhere: readonly string[];
  /** Calls the API as the front end does. */
  readonly api: (method: string, path: string, body?: object) => Promise<unknown>;
  /** Types a message and sends it. */
  readonly send: (text: string) => Promise<void>;
}

/** Returns the path of an installed Chromium; undefined without one. */
export async function findBrowser(): Promise<string | undefined> {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
  for (const path of directories.flatMap((directory) => names.map((name) => join(directory, name)))) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Maximum number of requests of a test. */
const maxRequests = 50;

/** Answers requests for a title, which have no tools, at any time, and all others with the steps in order. */
function withTitles(steps: Iterable<ScriptedStep>): readonly ScriptedStep[] {
  const left = [...steps];
  const reply: ScriptedStep = (request) => {
    if (request.tools.length === 0) return { text: 'A title' };
    const step = left.shift();
    if (!step) throw new Error('The script has no more steps.');
    return typeof step === 'function' ? step(request) : step;
  };
  return Array.from({ length: maxRequests }, () => reply);
}

/** Opens the front end with the profile of a model that answers with a script. */
export async function openFrontEnd(executablePath: string, steps: Iterable<ScriptedStep>): Promise<OpenedFrontEnd> {
  const home = await mkdtemp(join(tmpdir(), 'varve-front-end-'));
  await mkdir(join(home, 'project'));
  const model = await scriptedServer(withTitles(steps));
  const description = fileURLToPath(import.meta.resolve('@openhands/agent-canvas/package.json'));
  const listening = await server({
    store: memoryStore(),
    keys: [testKey],
    home: join(home, '.varve'),
    workspaceRoot: join(home, 'project'),
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    frontEnd: join(dirname(description), 'build'),
  }).listen(0);
  const api = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'X-Session-API-Key': testKey, 'content-type': 'application/json' };
    const response = await fetch(listening.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  await api('POST', '/api/profiles/default', {
    llm: { model: 'openai/scripted', base_url: model.url },
  });
  await api('POST', '/api/profiles/default/activate', {});
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  // The policy of the page refuses these before they are sent; the test uses no network beyond this machine.
  const sentElsewhere: string[] = [];
  page.on('requestfailed', (request) => {
    const isElsewhere = new URL(request.url()).hostname !== '127.0.0.1';
    if (isElsewhere && request.failure()?.errorText !== 'csp') sentElsewhere.push(request.url());
  });
  await page.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await page.goto(signInAddress(listening.url, testKey));
  return {
    page,
    url: listening.url,
    model,
    refused,
    sentElsewhere,
    api,
    async send(text) {
      await page.locator('[contenteditable="true"]:visible, textarea:visible').first().click();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await listening[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}
