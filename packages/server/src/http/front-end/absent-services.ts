import type { MiddlewareHandler } from 'hono';

/**
 * Answers to requests of the front end for services that this server does not have: automations, extensions of the page
 * and statistics of its use. Each is empty, because the page shows a failed request as an error.
 *
 * @see agent-canvas 1.20.0, automation-service and canvas-extensions-service
 */
export const absentServices: Readonly<Record<string, unknown>> = {
  'GET /api/automation/health': { status: 'disabled' },
  'GET /api/automation/sdk-version': { sdk_version: null },
  'GET /api/automation/v1': { automations: [], total: 0 },
  'POST /api/automation/v1/telemetry/consent': { consent_granted: false },
  'GET /api/canvas-extensions/installed': { canvas_extensions: [] },
  'POST /api/analytics/events': { accepted: 0 },
};

/** Answers for services that this server does not have. The guards of keys precede it. */
export const withoutServices: MiddlewareHandler = async (context, next) => {
  const { method, path } = context.req;
  const answer = absentServices[`${method} ${path.replace(/\/$/, '')}`];
  return answer === undefined ? next() : context.json(answer);
};
