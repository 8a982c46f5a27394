import type { EventLog } from '../contract/log.ts';

/** Logs that a store has opened or is opening. */
export interface OpenLogs {
  /** Opens a log, which calls `onClose` when it is closed. */
  open(open: (onClose: () => void) => Promise<EventLog>): Promise<EventLog>;
  /** Closes all logs, also those that are being opened. */
  close(): Promise<void>;
}

/** Creates the list of open logs of a store. */
export function openLogs(): OpenLogs {
  const logs = new Set<Promise<EventLog>>();
  return {
    async open(open) {
      const forget = (): void => void logs.delete(log);
      const log = open(forget);
      logs.add(log);
      log.catch(forget);
      return log;
    },
    async close() {
      await Promise.all([...logs].map(async (log) => (await log.catch(() => undefined))?.[Symbol.asyncDispose]()));
    },
  };
}
