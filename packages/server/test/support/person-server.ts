import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectories } from '@varve/files';
import type { ScriptedStep } from '@varve/llm/testing';
import { trustStore, trustSubject } from '@varve/settings/trust';
import { onTestFinished } from 'vitest';
import { send } from './requests.ts';
import { message, requestFor, runningServer, type RunningServer } from './running-server.ts';

/** A server whose user has a home directory, and a workspace that is a repository. */
export interface PersonServer extends RunningServer {
  readonly home: string;
  readonly userHome: string;
  /** Writes a file below the home directory of the user, or into the workspace. */
  write(where: 'userHome' | 'workspace', path: string, content: unknown): void;
  trust(): Promise<void>;
  /** Creates a conversation and runs it to its end. */
  run(body?: object): Promise<string>;
  /** Sends a request to a path and returns its JSON. */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Texts of the requests that the model received. */
  readonly requests: readonly string[];
}

/** Starts a server for a person; everything is removed after the test. */
export async function personServer(steps: Iterable<ScriptedStep>): Promise<PersonServer> {
  const userHome = realpathSync(mkdtempSync(join(tmpdir(), 'varve-person-')));
  onTestFinished(() => rmSync(userHome, { recursive: true, force: true }));
  const home = join(userHome, '.varve');
  const env = { PATH: process.env['PATH'], HOME: userHome, OPENAI_API_KEY: 'sk-of-the-environment', A_KEY: 'sk-of-a' };
  const running = await runningServer(steps, { home, env, workspaceRoot: userHome });
  onTestFinished(() => running[Symbol.asyncDispose]());
  const workspace = realpathSync(running.workspace);
  const roots = { userHome, workspace };
  makeDirectories(join(workspace, '.git'), 0o700);
  return {
    ...running,
    home,
    userHome,
    workspace,
    get requests() {
      return running.model.requests.map(({ text }) => text);
    },
    write(where, path, content) {
      const file = join(roots[where], path);
      makeDirectories(dirname(file), 0o700);
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    },
    async trust() {
      const { configuration, digests } = await trustSubject(workspace, { home, userHome });
      await trustStore({ home }).add(configuration, digests);
    },
    async call(method, path, body) {
      return (await (await send(running.server, method, path, body)).json()) as Record<string, unknown>;
    },
    async run(body = {}) {
      const { id } = await running.create({ initial_message: message('Go.'), ...body });
      await running.status(id, ['finished', 'error', 'waiting_for_confirmation']);
      return id;
    },
  };
}

/** Returns the agent of a request with a context. */
export function agentWith({ model, workspace }: PersonServer, fields: object) {
  return { agent: { ...requestFor(model, workspace).agent, ...fields } };
}
