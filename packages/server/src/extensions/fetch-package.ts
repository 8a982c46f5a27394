import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { isLoopback, type Variables } from '@varve/text';
import { create } from 'tar';
import { RequestError } from '../error.ts';
import { type Credentials, sourceAddress, type SourceAddress } from './source-address.ts';

/** Source of a package, as a client names it. */
export interface PackageSource {
  /** Directory, archive or repository: a path, `https://…`, `github:OWNER/NAME` or `git@HOST:PATH`. */
  readonly source: string;
  /** Branch, tag or commit of a repository. */
  readonly ref?: string | undefined;
  /** Directory in the source, relative to it. */
  readonly repo_path?: string | undefined;
}

/** A package that was fetched. */
export interface FetchedPackage {
  /** `.zip` or `.tar.gz`. */
  readonly archive: Buffer;
  /** Commit of a repository. */
  readonly resolvedRef: string | undefined;
}

/** Options of {@link fetchPackage}. */
export interface FetchOptions {
  readonly workspaceRoot: string;
  readonly env: Variables;
  readonly signal: AbortSignal;
}

const maxBytes = 20 * 1024 * 1024;
const timeoutMs = 60_000;
const run = promisify(execFile);

/**
 * Fetches a package. Nothing of it is executed; a repository is cloned without its hooks and filters.
 *
 * @throws {RequestError} `unsupported` for a source that cannot be fetched, `invalid` for a path outside of it.
 */
export async function fetchPackage(from: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  const address = sourceAddress(from.source);
  const { source } = address;
  if (from.repo_path !== undefined && (isAbsolute(from.repo_path) || from.repo_path.split(/[\\/]/).includes('..')))
    throw new RequestError('invalid', 'repo_path leads outside of the source.');
  const repository = repositoryOf(source);
  if (repository !== undefined) return cloned({ ...address, source: repository }, from, options);
  if (/^https?:/i.test(source)) return { archive: await downloaded(address, options), resolvedRef: undefined };
  return { archive: await localPackage(resolve(options.workspaceRoot, source), from), resolvedRef: undefined };
}

function repositoryOf(source: string): string | undefined {
  const short = /^(?:github:)([\w.-]+\/[\w.-]+)$/.exec(source)?.[1];
  if (short !== undefined) return `https://github.com/${short}.git`;
  if (/^git@[\w.-]+:[\w./~-]+$/.test(source)) return source;
  const url = URL.parse(source);
  if (!url || !/^https?:$/.test(url.protocol) || /\.(?:zip|tgz|tar\.gz)$/i.test(url.pathname)) return undefined;
  return allowed(url).href;
}

/** Text of a connection that is not encrypted could be changed on the way. */
function allowed(url: URL): URL {
  if (url.protocol === 'https:' || isLoopback(url.href)) return url;
  throw new RequestError('unsupported', 'A package is fetched by https only.');
}

async function downloaded({ source, credentials }: SourceAddress, { signal }: FetchOptions): Promise<Buffer> {
  const url = URL.parse(source);
  if (!url) throw new RequestError('unsupported', 'The source is not an address.');
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetchAllowed(url, { headers: headersFor(credentials), signal: limit });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RequestError('unsupported', `The package cannot be fetched: ${reason}.`, { cause });
  }
}

const maxRedirects = 5;

/** Follows redirects only to where a package may be fetched from, and with headers only to the same server. */
async function fetchAllowed(
  url: URL,
  request: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  left = maxRedirects,
): Promise<Response> {
  const response = await fetch(allowed(url).href, { ...request, redirect: 'manual' });
  const target = response.headers.get('location');
  if (response.status < 300 || response.status > 399 || target === null) return response;
  await response.body?.cancel();
  const next = URL.parse(target, url.href);
  if (left === 0 || !next) throw new Error('too many redirects');
  // An address of another machine does not lead into this one.
  if (isLoopback(next.href) && !isLoopback(url.href)) throw new Error('a redirect to this machine');
  return fetchAllowed(next, next.origin === url.origin ? request : { ...request, headers: {} }, left - 1);
}

function headersFor(credentials: Credentials | undefined): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Returns the proxies and certificates that git uses. */
function networkVariables(env: Variables): Variables {
  const names = /^(?:(?:https?|all|no)_proxy|ssl_cert_(?:file|dir)|git_ssl_cainfo)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
}

/** Credential helper that prints the two variables. */
const helper = String.raw`!printf 'username=%s\npassword=%s\n' "$VARVE_USERNAME" "$VARVE_PASSWORD"; :`;

/**
 * Returns variables with which git authenticates at the server of a repository, and at no other: it sends a header of
 * its settings to the target of a redirect, too, but asks for credentials by the name of each server.
 */
function variablesFor(url: string, credentials: Credentials | undefined): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const key = `credential.${new URL(url).origin}.helper`;
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: key,
    // Instead of the helpers of the person, which could have or keep other credentials.
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: key,
    GIT_CONFIG_VALUE_1: helper,
    VARVE_USERNAME: credentials.username,
    VARVE_PASSWORD: credentials.password,
  };
}

async function localPackage(path: string, { repo_path: part }: PackageSource): Promise<Buffer> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) return archiveOf(path, part);
  if (stats?.isFile() && stats.size <= maxBytes) return readFile(path);
  throw new RequestError('unsupported', 'The source is no directory and no archive of at most 20 MiB.');
}

function isNoGitData(path: string): boolean {
  return !path.split('/').includes('.git');
}

/**
 * Returns the archive of a directory, or of one in it, without the data of git. Links in it are part of it, and refused
 * later.
 */
async function archiveOf(source: string, part = '.'): Promise<Buffer> {
  const directory = await realpath(join(source, part)).catch(() => '');
  if (!(await stat(directory).catch(() => undefined))?.isDirectory())
    throw new RequestError('unsupported', 'repo_path is no directory of the source.');
  const root = await realpath(source);
  if (directory !== root && !directory.startsWith(`${root}${sep}`))
    throw new RequestError('invalid', 'repo_path leads outside of the source.');
  const chunks: Buffer[] = [];
  let size = 0;
  const entries = (await readdir(directory)).filter((name) => name !== '.git');
  if (entries.length === 0) throw new RequestError('unsupported', 'The source is empty.');
  // A name may begin like an option of the library.
  const paths = entries.map((name) => `./${name}`);
  const stream = create({ gzip: true, cwd: directory, portable: true, filter: isNoGitData }, paths);
  // The loop receives the first error; a later one would end the process.
  stream.on('error', () => {});
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new RequestError('unsupported', `The source has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function cloned(address: SourceAddress, { ref, repo_path: part }: PackageSource, options: FetchOptions) {
  const { source: url } = address;
  const { env, signal } = options;
  const directory = await mkdtemp(join(tmpdir(), 'varve-package-'));
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', `http.followRedirects=${!url.startsWith('http:')}`];
  const variables = gitVariables(address, env);
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('git', [...safe, ...args], { env: variables, timeout: timeoutMs, signal });
    return stdout.trim();
  };
  try {
    if (ref === undefined) await git('clone', '--quiet', '--depth', '1', '--no-tags', '--', url, directory);
    else {
      if (ref.startsWith('-')) throw new RequestError('invalid', 'The ref is no name of a commit.');
      await git('init', '--quiet', directory);
      await git('-C', directory, 'fetch', '--quiet', '--depth', '1', '--', url, ref);
      await git('-C', directory, 'checkout', '--quiet', 'FETCH_HEAD');
    }
    const resolvedRef = await git('-C', directory, 'rev-parse', 'HEAD');
    return { archive: await archiveOf(directory, part), resolvedRef };
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    // The message of git may contain credentials of the address.
    throw new RequestError('unsupported', 'The repository cannot be fetched.', { cause });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the environment of git: no questions, and only the protocol of the address, also after a redirect. */
function gitVariables({ source: url, credentials }: SourceAddress, env: FetchOptions['env']) {
  return {
    PATH: env['PATH'],
    HOME: env['HOME'],
    ...networkVariables(env),
    GIT_TERMINAL_PROMPT: '0',
    // Without this, ssh asks on the terminal of the server.
    SSH_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'force',
    GIT_ALLOW_PROTOCOL: /^https?(?=:)/.exec(url)?.[0] ?? 'ssh',
    GIT_LFS_SKIP_SMUDGE: '1',
    ...variablesFor(url, credentials),
  };
}
