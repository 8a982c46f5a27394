import { defineFact } from '@varve/events/facts';
import * as z from 'zod';

/** A host continues a run that a failure of its store ended. */
export const continuedFact = defineFact('varve.host.continued', () => z.strictObject({}));
