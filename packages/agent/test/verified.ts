import type { Json } from '@varve/events';
import type { LogReader } from '@varve/storage';
import { logVerifier } from '../src/replay/verify-meta.ts';

/** Returns the checks of the snapshots of a log and of the settings next to it. */
export async function verified(log: LogReader, meta: Json = null) {
  const verifier = await logVerifier(log);
  for await (const stored of log.range(0)) await verifier.add(stored);
  return verifier.end(meta);
}
