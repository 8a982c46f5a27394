import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFurther, type SandboxPolicy } from '../policy/sandbox-policy.ts';
import { openLink, type Link } from '../proxy/link.ts';
import { hostProxy, type ProxyOptions } from '../proxy/proxy.ts';
import { privateDirectory } from '../private-directory.ts';
import { describeRefusals } from '../refusals.ts';
import type { Sandbox } from '../sandbox.ts';
import { bubblewrapArguments, proxyVariables } from './arguments.ts';
import { findProgram } from './find-program.ts';
import { forwarder, innerLauncher, outerLauncher } from './launcher.ts';
import { createMountPoint, isMountPoint, removeMountPoints } from './mount-points.ts';
import { mountsOf, type Mount } from './mounts.ts';
import { realPath } from '../policy/real-path.ts';
import { seccompProgram } from './seccomp.ts';

/** Options of a backend. */
export type BackendOptions = Omit<ProxyOptions, 'rules'>;

/**
 * Returns a sandbox of bubblewrap.
 *
 * @throws {Error} when bubblewrap or bash is not installed, and of the system when its files cannot be created.
 */
export function bubblewrap(policy: SandboxPolicy, options: BackendOptions = {}): Sandbox {
  const [bwrap, bash] = [required('bwrap'), required('bash')];
  const files = createFiles();
  const { network } = policy;
  const proxy = typeof network === 'string' ? undefined : hostProxy({ ...options, rules: network });
  const hidden: SandboxPolicy = { ...policy, hidden: [...policy.hidden, files.directory] };
  const links: Link[] = [];
  const mountPoints = new Set<string>();
  /** Those of the last program. */
  let known: readonly Mount[] | undefined;
  return {
    policy,
    wrap(argv, { directory, env, marks = {}, keepDescriptors = 2, newSession = false, readOnly = [], writable = [] }) {
      const mounts = withMountPoints(mountsOf(withFurther(hidden, { readOnly, writable })), mountPoints);
      known = mounts;
      const link = proxy && openLink(files.directory, `link-${links.length}`, proxy);
      if (link) links.push(link);
      const inside = link ? [bash, ...scriptArguments(innerLauncher), ...forwarderCommand()] : [];
      const args = bubblewrapArguments({
        mounts,
        network,
        directory,
        newSession,
        covers: files,
        variables: { ...marks, ...(link && proxyVariables(env)) },
      });
      const pipes = link ? [link.toProxy, link.fromProxy] : ['', ''];
      const outer = [String(keepDescriptors), files.filter, ...pipes];
      return {
        program: bash,
        args: [...scriptArguments(outerLauncher), ...outer, bwrap, ...args, '--', ...inside, ...argv],
        env,
      };
    },
    describeRefusals: (output, directory) =>
      describeRefusals({
        output,
        directory,
        policy,
        mounts: known ?? mountsOf(hidden),
        hosts: proxy?.takeRefused() ?? [],
      }),
    openPort: async (port) => proxy?.openPort(port) ?? false,
    close() {
      for (const link of links) link.close();
      proxy?.close();
      removeMountPoints([...mountPoints]);
      rmSync(files.directory, { recursive: true, force: true });
    },
  };
}

/** Returns arguments with which bash runs a script and no startup file of the user. */
function scriptArguments(script: string): readonly string[] {
  return ['--norc', '-p', '-c', script, 'varve-sandbox'];
}

function forwarderCommand(): readonly string[] {
  return [required('env'), required('setsid'), process.execPath, forwarder];
}

function required(name: string): string {
  const program = findProgram(name);
  if (program === undefined) throw new Error(`The program ${name} is not installed.`);
  return program;
}

/** Creates the files of a sandbox, in a directory that its programs cannot see. */
function createFiles() {
  const program = seccompProgram();
  if (program === undefined) throw new Error(`There is no filter of system calls for the processor ${process.arch}.`);
  const directory = realPath(mkdtempSync(join(privateDirectory(), 'varve-sandbox-')));
  const filter = join(directory, 'filter');
  const [unreadable, empty] = [join(directory, 'unreadable'), join(directory, 'empty')];
  writeFileSync(filter, program);
  writeFileSync(unreadable, '', { mode: 0 });
  writeFileSync(empty, '');
  return { directory, filter, unreadable, empty };
}

/** Creates what protected paths without a file need, and records it to be removed. */
function withMountPoints(mounts: readonly Mount[], created: Set<string>): readonly Mount[] {
  return mounts.filter(({ path, access, kind }) => {
    if (access !== 'read-only') return true;
    if (kind === 'nothing') {
      try {
        createMountPoint(path);
      } catch {
        return false; // This user cannot write there, so programs of the sandbox cannot either.
      }
    }
    if (isMountPoint(path)) created.add(path);
    return true;
  });
}
