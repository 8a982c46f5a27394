import * as z from 'zod';
import { lazy } from '../lazy.ts';
import type { Immutable } from '../immutable.ts';
import { securityRisk } from '../kinds/action-event.ts';
import { defineFact } from './define-fact.ts';

/** Rating of a call by an analyzer, and its reasons. */
const riskVerdict = lazy(() =>
  z.strictObject({
    risk: securityRisk(),
    /** One reason per finding, highest risk first. `text` is one line for people, such as the command. */
    reasons: z.array(
      z.strictObject({
        risk: securityRisk(),
        text: z.string(),
        /** Id of the rule that matched; absent for findings without a rule. */
        rule: z.exactOptional(z.string()),
      }),
    ),
  }),
);
/** Rating of a call by an analyzer, and its reasons. */
export type RiskVerdict = Immutable<z.output<ReturnType<typeof riskVerdict>>>;

/** Decision of a confirmation policy about one call. */
const callReview = lazy(() =>
  z.strictObject({
    action_id: z.string(),
    /** True if a person must approve the call first. */
    asks: z.boolean(),
    /** True if the call is denied: it is answered in the same append, and never runs. */
    denies: z.exactOptional(z.boolean()),
    /** Permission rules that decided, as people write them: `deny command git push`. */
    rule: z.exactOptional(z.string()),
    /** Verdict of the policy's analyzer; absent if it has none, or if it does not rate such calls. */
    verdict: z.exactOptional(riskVerdict()),
  }),
);

/** Review of the calls of one reply by the confirmation policy. Follows their actions in the same append. */
export const reviewFact = defineFact('varve.review', () => z.strictObject({ calls: z.array(callReview()) }));
/** Decision of a confirmation policy about one call. */
export type CallReview = Immutable<Omit<z.output<ReturnType<typeof callReview>>, 'action_id'>>;
