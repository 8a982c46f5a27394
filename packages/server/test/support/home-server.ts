import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { memoryStore } from '@varve/storage';
import { onTestFinished } from 'vitest';
import { server, type Server } from '../../src/server.ts';
import type { ServerOptions } from '../../src/server-options.ts';
import { testKey } from './requests.ts';

/** JSON of a response, whose fields a test names. */
export interface TestJson {
  readonly [name: string]: unknown;
}

/** A server of a user with a home directory of its own, and a project. */
export interface HomeServer {
  readonly server: Server;
  readonly userHome: string;
  /** Data directory of varve. */
  readonly home: string;
  readonly project: string;
  /** Writes a file below the home directory, and its parents. */
  write(path: string, content: unknown): void;
  /** Sends a request and returns the JSON of its response. @throws for another status. */
  call(status: number, method: string, path: string, body?: unknown): Promise<TestJson>;
}

/** Starts a server; its directories are removed after the test. */
export function homeServer(options: Partial<ServerOptions> = {}): HomeServer {
  const userHome = realpathSync(mkdtempSync(join(tmpdir(), 'varve-home-')));
  const [home, project] = [join(userHome, '.varve'), join(userHome, 'project')];
  for (const path of [home, join(project, '.git')]) makeDirectories(path, 0o700);
  const env = { PATH: process.env['PATH'], HOME: userHome, ...options.env };
  const serving = server({ store: memoryStore(), workspaceRoot: userHome, home, ...options, env, keys: [testKey] });
  onTestFinished(async () => {
    await serving[Symbol.asyncDispose]();
    rmSync(userHome, { recursive: true, force: true });
  });
  return {
    server: serving,
    userHome,
    home,
    project,
    write(path, content) {
      makeDirectories(dirname(join(userHome, path)), 0o700);
      writeFileSync(join(userHome, path), typeof content === 'string' ? content : JSON.stringify(content));
    },
    async call(status, method, path, body) {
      const headers = { 'X-Session-API-Key': testKey, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await serving.request(path, { method, headers, ...sent });
      const text = await response.text();
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as TestJson;
    },
  };
}
