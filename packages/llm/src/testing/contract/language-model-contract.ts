import { conductChecks } from './conduct-checks.ts';
import type { ModelCheck } from './model-check.ts';
import { replyChecks } from './reply-checks.ts';
import { requestChecks } from './request-checks.ts';

/** Requirements of every {@link LanguageModel}, wrapped or not. Run each check against a new model. */
export const languageModelContract: readonly ModelCheck[] = [...replyChecks, ...requestChecks, ...conductChecks];
