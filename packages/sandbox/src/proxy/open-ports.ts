import type { Writable } from 'node:stream';

/** Path of the request of a sandbox whose answer contains the open ports, one a line, and those that are opened. */
export const portsPath = '/ports';

/** Ports of services of this machine that programs in sandboxes reach. */
export class OpenPorts {
  readonly #ports: Set<number>;
  readonly #followers = new Set<Writable>();

  constructor(ports: readonly number[] = []) {
    this.#ports = new Set(ports);
  }

  has(port: number): boolean {
    return this.#ports.has(port);
  }

  add(port: number): void {
    this.#ports.add(port);
    for (const follower of this.#followers) follower.write(`${port}\n`);
  }

  /** Writes the ports to a stream, until it closes. */
  follow(stream: Writable): void {
    stream.write(`${[...this.#ports].join('\n')}\n`);
    this.#followers.add(stream);
    stream.once('close', () => this.#followers.delete(stream));
  }
}
