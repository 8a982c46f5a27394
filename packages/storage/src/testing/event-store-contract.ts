import { appendChecks } from './append-checks.ts';
import { within } from './assertions.ts';
import { crashChecks } from './crash-checks.ts';
import { factChecks } from './fact-checks.ts';
import { leaseChecks } from './lease-checks.ts';
import { listChecks } from './list-checks.ts';
import { longStringChecks } from './long-string-checks.ts';
import { proofChecks } from './proof-checks.ts';
import { readChecks } from './read-checks.ts';
import { resendChecks } from './resend-checks.ts';
import { snapshotChecks } from './snapshot-checks.ts';
import type { StoreCheck } from './store-check.ts';
import { tailChecks } from './tail-checks.ts';

/** Checks of the `EventStore` contract, as data. Run each check that applies with a new harness, in any test runner. */
export const eventStoreContract: readonly StoreCheck[] = [
  ...appendChecks,
  ...resendChecks,
  ...readChecks,
  ...listChecks,
  ...factChecks,
  ...leaseChecks,
  ...crashChecks,
  ...tailChecks,
  ...longStringChecks,
  ...snapshotChecks,
  ...proofChecks,
].map((check) => ({ ...check, run: async (harness) => within(check.title, check.run(harness), 100_000) }));
