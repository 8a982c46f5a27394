/** Whether the work that a server does at its start has ended. */
export interface Readiness {
  /** Returns `work`; the server is not ready until it ends, also by a failure. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  readonly isReady: boolean;
}

/** Creates the readiness of a server without work. */
export function createReadiness(): Readiness {
  let active = 0;
  return {
    async during(work) {
      active += 1;
      try {
        return await work;
      } finally {
        active -= 1;
      }
    },
    get isReady() {
      return active === 0;
    },
  };
}
