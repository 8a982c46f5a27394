import { defineEvent } from '../define-event.ts';

/** Immediate stop of a run. Running calls were cancelled, and their results precede this event. */
export const InterruptEvent = defineEvent('InterruptEvent', { source: 'user', fields: () => ({}) });
export type InterruptEvent = ReturnType<typeof InterruptEvent.create>;
