import { defineEvent } from '../define-event.ts';

/** Request to condense before the next model request. */
export const CondensationRequest = defineEvent('CondensationRequest', { source: 'environment', fields: () => ({}) });
export type CondensationRequest = ReturnType<typeof CondensationRequest.create>;
