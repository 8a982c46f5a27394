import { defineEvent } from '../define-event.ts';

/** Someone asked the run to stop between two steps. */
export const PauseEvent = defineEvent('PauseEvent', { source: 'user', fields: {} });
export type PauseEvent = ReturnType<typeof PauseEvent.create>;
