import type { Session } from '../session.ts';

/** What a conversation must end before its session. */
export interface ClosingParts {
  /** Ends of its run and of its children. */
  readonly ends: readonly Promise<unknown>[];
  /** Removes it from its parent. */
  readonly detach: () => void;
}

/** Closes a session when everything that uses it has ended. Rejects with the first failure, after all was tried. */
export async function closeSession(session: Session, { ends, detach }: ClosingParts): Promise<void> {
  const closed = await Promise.allSettled(ends);
  const { ledger } = session;
  try {
    await ledger.reportUsage();
  } finally {
    ledger.close();
    detach();
    await session[Symbol.asyncDispose]();
  }
  for (const result of closed) if (result.status === 'rejected') throw result.reason;
}
