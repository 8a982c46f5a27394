import type { MiddlewareHandler } from 'hono';

/** Time of the last command, file or git request, for orchestrators that stop idle servers. */
export interface Activity {
  /** Records activity now. */
  touch(): void;
  /** UTC milliseconds; the start of the server if nothing has happened. */
  readonly lastAt: number;
}

/** Creates a record whose first activity is now. */
export function createActivity(now: () => number): Activity {
  let lastAt = now();
  return {
    touch() {
      lastAt = now();
    },
    get lastAt() {
      return lastAt;
    },
  };
}

/** Records activity when a request begins and when its response does: a command may have run in between. */
export function recordActivity(activity: Activity): MiddlewareHandler {
  return async (_context, next) => {
    activity.touch();
    await next();
    activity.touch();
  };
}
