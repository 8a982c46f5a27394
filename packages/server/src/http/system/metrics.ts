import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

/** Route of the measurements, which requires a key unless the server is configured otherwise. */
export const metricsRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/metrics',
    tag: 'Server Details',
    summary: 'Get measurements in the format of Prometheus.',
    download: 'text/plain',
    async handle(_input, { metrics }) {
      const { text, contentType } = await metrics.read();
      return new Response(text, { headers: { 'content-type': contentType } });
    },
  }),
];
