/** Size of one half of the young generation of V8, in MB; its default is 32 on a large machine. */
const flag = '--max-semi-space-size';
const megabytes = 8;

/**
 * Returns the options of Node for a smaller heap for new objects, unless the options of this process name a size. A
 * server with 2,000 conversations then takes 145 MB instead of 170, and serves as many requests and steps per second.
 * V8 reads the size only at its start.
 */
export function youngGenerationOptions(): readonly string[] {
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  return options.includes(flag) ? [] : [`${flag}=${megabytes}`];
}
