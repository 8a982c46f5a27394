import { closeSync, existsSync, readFileSync } from 'node:fs';
import { publicVariables, type Variables } from '@varve/text';
import { eraseVariables } from './erase-variables.ts';

/**
 * Variable by which the shell in between receives the values, and its number of the pipe, for the next process: the
 * last one that every shell accepts, as programs that start others with pipes of their own use those from 3 on.
 */
const variable = 'VARVE_PRIVATE_ENVIRONMENT';
const descriptor = 9;
const shell = '/bin/sh';

/** Variables that Node reads when it starts; others with this prefix, as `NODE_AUTH_TOKEN`, may be credentials. */
const nodeNames = new Set(
  [
    'CHANNEL_FD CHANNEL_SERIALIZATION_MODE COMPILE_CACHE COMPILE_CACHE_PORTABLE DEBUG DEBUG_NATIVE DISABLE_COLORS',
    'DISABLE_COMPILE_CACHE EXTRA_CA_CERTS ICU_DATA NO_WARNINGS OPTIONS PATH PENDING_DEPRECATION PRESERVE_SYMLINKS',
    'PRESERVE_SYMLINKS_MAIN REDIRECT_WARNINGS SKIP_PLATFORM_CHECK TEST_CONTEXT TLS_REJECT_UNAUTHORIZED USE_ENV_PROXY',
    'USE_SYSTEM_CA V8_COVERAGE',
  ].flatMap((line) => line.split(' ').map((name) => `NODE_${name}`)),
);

/** A pipe holds 64 KiB, and a write that does not fit waits for ever. */
const maxChars = 60_000;

/** Reads the values from its environment, and replaces itself by the command with a pipe that contains them. */
const script = `private=$${variable}
export ${variable}=${descriptor}
exec "$@" ${descriptor}<<VARVE_END
$private
VARVE_END
`;

/** How the process replaces itself. */
export interface Replacement {
  /** Options of Node that the process needs. */
  readonly nodeOptions?: readonly string[];
  /** Arguments after the script; those of the process when absent. */
  readonly args?: readonly string[];
  /** Variables in addition to those of the process, which no program may read either. */
  readonly variables?: Variables;
}

/**
 * Returns the environment of the command, and removes what is not public from the environment of the process, which the
 * programs that an agent starts can read (`/proc/PID/environ`). Where that record cannot be changed, and for options of
 * Node, the process replaces itself: it keeps its id, terminal and streams, and receives the other variables through a
 * pipe. In that case this function does not return in the first process. Does nothing on systems that can do neither,
 * and only adds the options of Node for an environment larger than a pipe.
 */
export function privateEnvironment(replacement: Replacement = {}): Variables {
  const passed = process.env[variable];
  const environment = { ...process.env };
  if (passed === undefined) {
    hideVariables(environment, replacement);
    return environment;
  }
  delete process.env[variable];
  delete environment[variable];
  return passed === String(descriptor) ? { ...environment, ...receivedVariables() } : environment;
}

function hideVariables(environment: Variables, replacement: Replacement): void {
  const { nodeOptions = [], args = process.argv.slice(2), variables = {} } = replacement;
  const kept: Variables = {
    ...publicVariables(environment),
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => nodeNames.has(name))),
  };
  const others = Object.fromEntries(Object.entries(environment).filter(([name, value]) => kept[name] !== value));
  if (Object.keys(replacement).length === 0 && eraseVariables(new Set(Object.keys(others)))) {
    // Some have a public form, such as the address of a proxy without its password.
    Object.assign(process.env, kept);
    return;
  }
  if (process.execve === undefined) return;
  const text = ascii(JSON.stringify({ ...others, ...variables }));
  const command = [process.execPath, ...nodeOptions, ...process.execArgv, ...process.argv.slice(1, 2)];
  if (text !== '{}' && text.length <= maxChars && existsSync(shell)) {
    process.execve(shell, ['sh', '-c', script, 'sh', ...command, ...args], { ...defined(kept), [variable]: text });
  }
  if (nodeOptions.length > 0) process.execve(process.execPath, [...command, ...process.argv.slice(2)], process.env);
}

function receivedVariables(): Variables {
  try {
    const text = readFileSync(descriptor, 'utf8');
    closeSync(descriptor);
    return JSON.parse(text) as Variables;
  } catch {
    // Another program has set the variable.
    return {};
  }
}

/** Escapes characters that a shell could read as others, in another encoding. */
function ascii(json: string): string {
  return json.replaceAll(/[\u007F-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function defined(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
