import type { SandboxPolicy } from './policy/sandbox-policy.ts';

/** Command to run in a sandbox. */
export interface WrapOptions {
  readonly directory: string;
  /** Complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that only the program has, not the processes around it. Visible in the list of processes. */
  readonly marks?: Readonly<Record<string, string>>;
  /** Highest descriptor of this process that the program inherits. Default: 2. */
  readonly keepDescriptors?: number;
  /** Further paths that the program reads, also below hidden ones. */
  readonly readOnly?: readonly string[];
  /** Further paths that the program writes, also below hidden ones. */
  readonly writable?: readonly string[];
  /** The program leads its own session, without the terminal of this process. */
  readonly newSession?: true;
}

/** Command that runs another one in a sandbox. */
export interface WrappedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a policy has refused, or may have refused by the output of a program, which can print anything. */
export interface Refusal {
  /** A sentence of what is known, without words of the output. */
  readonly title: string;
  /** What the output names: paths that the mounts refuse, hosts and sockets. */
  readonly claims: readonly string[];
  /** Ports of services of this machine to which the output claims that there was no connection. */
  readonly ports: readonly number[];
  /** The sentence with the claims, for a model. */
  readonly text: string;
  /** True if no question is asked: a rule denies it, or nothing was refused. */
  readonly isDenied: boolean;
}

/** Walls around programs. */
export interface Sandbox {
  readonly policy: SandboxPolicy;
  /**
   * Returns the command to start instead of another one, once. When the process that starts it ends, or the started
   * one, everything inside is killed.
   */
  wrap(argv: readonly [string, ...string[]], options: WrapOptions): WrappedCommand;
  /**
   * Returns what the policy has refused: hosts since the last call, and what the output of a program names. Undefined
   * without a refusal.
   */
  describeRefusals(output: string, directory: string): Refusal | undefined;
  /** Asks for a port of a service of this machine, as for a host, and opens it. */
  openPort(port: number): Promise<boolean>;
  /** Ends the connections, and removes what the sandbox has created. Call after the last program has ended. */
  close(): void;
}
