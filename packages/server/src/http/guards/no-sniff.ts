import type { MiddlewareHandler } from 'hono';

/** Keeps browsers from taking a response for anything but its content type, such as a file for a script. */
export const noSniff: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('x-content-type-options', 'nosniff');
};
