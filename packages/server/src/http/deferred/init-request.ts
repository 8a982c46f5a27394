import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { webhook } from '../../streams/webhooks/webhook-options.ts';

/** Receiver of usage statistics, which this server does not send. */
const telemetry = lazy(() => z.looseObject({}).openapi('TelemetrySpec'));

/**
 * Configuration of a server that was started without one. Absent and null fields keep what it was started with.
 *
 * @see agent-server 1.43.1 OpenAPI, InitRequest
 */
export const initRequest = lazy(() =>
  z
    .strictObject({
      /** Keys that replace those of the start. */
      session_api_keys: z.array(z.string()).nullish(),
      /** Passphrase of stored secrets, and of the tokens that clients send back. */
      secret_key: z.string().nullish(),
      /** Directory of conversations, each in files of its own. */
      conversations_path: z.string().min(1).nullish(),
      bash_events_dir: z.string().min(1).nullish(),
      conversation_worktree_root: z.string().min(1).nullish(),
      webhooks: z.array(webhook()).nullish(),
      /** Address at which clients reach the server: its host and its pages are accepted. */
      web_url: z.url({ protocol: /^https?$/ }).nullish(),
      allow_cors_origins: z.array(z.string()).nullish(),
      max_concurrent_runs: z.int().gte(1).nullish(),
      /** Variables added to the environment: keys of providers, and public variables of commands. */
      env: z.record(z.string(), z.string()).nullish(),
      telemetry: telemetry().nullish(),
    })
    .openapi('InitRequest'),
);
export type InitRequest = z.output<ReturnType<typeof initRequest>>;

/** @see agent-server 1.43.1 OpenAPI, InitStatus */
export const initStatus = lazy(() =>
  z
    .object({ state: z.enum(['dormant', 'initializing', 'ready']), error: z.string().nullable().default(null) })
    .openapi('InitStatus'),
);
export type InitStatus = z.output<ReturnType<typeof initStatus>>;
