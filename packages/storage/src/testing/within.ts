/** Resolves as `work` does, or fails after a few seconds instead of waiting for ever. */
export async function within<T>(what: string, work: Promise<T>, ms = 5000): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
