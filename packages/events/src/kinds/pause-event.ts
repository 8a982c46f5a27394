import { defineEvent } from '../define-event.ts';

/** Request to stop the run between two steps. */
export const PauseEvent = defineEvent('PauseEvent', { source: 'user', fields: () => ({}) });
export type PauseEvent = ReturnType<typeof PauseEvent.create>;
