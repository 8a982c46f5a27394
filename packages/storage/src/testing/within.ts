/** Resolves as `work` does, or fails after a time that no busy machine needs, instead of waiting for ever. */
export async function within<T>(what: string, work: Promise<T>, ms = 30_000): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
