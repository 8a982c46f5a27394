import * as z from 'zod';
import { lazy } from '@varve/events';

/** Name of a profile, which is the name of its file. @see software-agent-sdk PROFILE_NAME_PATTERN */
export const profileName = lazy(() =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    message: 'Invalid input: expected at most 64 letters, digits, dots, hyphens and underscores',
  }),
);
