import { defineObservation } from '../define-payload.ts';

/** Result of a tool that the client executes. The action of a tool N has the kind `ClientAction_N`. */
export const ClientToolObservation = defineObservation('ClientToolObservation', () => ({}));
