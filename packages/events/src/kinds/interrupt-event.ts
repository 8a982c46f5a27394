import { defineEvent } from '../define-event.ts';

/** Someone stopped the run at once; calls under way were cancelled and answered before this. */
export const InterruptEvent = defineEvent('InterruptEvent', { source: 'user', fields: {} });
export type InterruptEvent = ReturnType<typeof InterruptEvent.create>;
