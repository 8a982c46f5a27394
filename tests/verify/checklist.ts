/** Runs checks one after another and counts them. */
export interface Checklist {
  /** Runs a check and prints one line; the message of a failed check follows. Resolves to true if it passed. */
  check(title: string, run: () => Promise<unknown>): Promise<boolean>;
  /** Prints `N passed, N failed` and returns the exit status. */
  end(): 0 | 1;
}

/** A list of checks that writes to stdout. */
export function checklist(): Checklist {
  let passed = 0;
  let failed = 0;
  return {
    async check(title, run) {
      try {
        await run();
        passed += 1;
        console.log(`ok    ${title}`);
        return true;
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${title}`);
        console.log(String(error instanceof Error ? error.message : error).replaceAll(/^/gm, '      '));
        return false;
      }
    },
    end() {
      console.log(`${passed} passed, ${failed} failed`);
      return failed === 0 ? 0 : 1;
    },
  };
}
