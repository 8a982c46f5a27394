import { defineEvent } from '../define-event.ts';

/** The next step must condense before it asks the model again. */
export const CondensationRequest = defineEvent('CondensationRequest', { source: 'environment', fields: {} });
export type CondensationRequest = ReturnType<typeof CondensationRequest.create>;
