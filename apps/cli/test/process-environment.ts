/**
 * Returns the environment of a `varve` process: nothing of this process reaches it but PATH and where Node keeps
 * compiled code.
 */
export function processEnvironment(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, HOME: home, ...more };
}
