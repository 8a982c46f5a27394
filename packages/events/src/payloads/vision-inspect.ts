import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Asks a vision model about an image of the user. */
export const VisionInspectAction = defineAction('VisionInspectAction', () => ({
  image_index: z.number().int().nonnegative().describe('Which image of the last user message with images, from 0.'),
  question: z.string().describe('What to find out about the image.'),
  profile_name: z.exactOptional(z.string()).describe('The model profile to ask; without it, the configured one.'),
}));

/** Answer of the vision model. */
export const VisionInspectObservation = defineObservation('VisionInspectObservation', () => ({
  image_index: z.number().int(),
  question: z.string(),
  profile_name: z.exactOptional(z.string()),
  model: z.exactOptional(z.string()),
  base_url: z.exactOptional(z.string()),
  answer: z.exactOptional(z.string()),
}));
