import { defineObservation } from '../define-payload.ts';

/** What a client answered for a tool that it runs itself; the action of a tool N has the kind `ClientAction_N`. */
export const ClientToolObservation = defineObservation('ClientToolObservation', {});
