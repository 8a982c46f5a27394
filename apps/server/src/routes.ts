import type { Route } from './define-route.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';

/** Every route there is: add a file to `routes/`, then its line here. A path without parameters goes before one with. */
export const routes: readonly Route[] = [...healthRoutes, ...conversationRoutes, ...eventRoutes];
