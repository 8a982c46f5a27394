import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { revealHidden } from '@varve/events/text';
import { SettingsError } from '@varve/settings';
import {
  configurationDirectories,
  describeChange,
  trustStore,
  trustSubject,
  type ConfigurationScope,
  type TrustStore,
  type TrustSubject,
} from '@varve/settings/trust';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { trustCommand } from '../home/untrusted-line.ts';
import { userHome, varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import { barredRows, quotedRows, readingHints } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Directory that trust is about: a workspace with its repository, or the home directory of the user. */
export interface TrustTarget {
  readonly path: string | undefined;
  readonly user?: true;
}

const shownDigits = 16;

/**
 * Shows the configurations that are not trusted as they are, and asks about each. With a hash, only the configuration
 * that has it is trusted.
 *
 * @throws {CliError} `usage` if no configuration has the hash.
 */
export async function decideTrust(
  { hash, ...target }: TrustTarget & { readonly hash?: string },
  io: TerminalIo,
): Promise<ExitCode> {
  const store = storeIn(io);
  const open: TrustSubject[] = [];
  const { scope, directories } = await placesOf(target, io);
  for (const directory of directories)
    if (!existsSync(directory)) throw new CliError(exitCodes.usage, `There is no directory ${directory}.`);
  if (directories.length === 0)
    io.stderr.line(styled('dim', 'Your home directory is no project. Trust its hooks and skills with --user.'));
  for (const directory of directories) {
    const subject = await trustSubject(directory, { home: varveHome(io), userHome: userHome(io), scope });
    const status = await store.status(subject.configuration, subject.digests);
    if (status === 'untrusted' || status === 'changed') open.push(subject);
    else if (directories.length === 1 || status === 'trusted') {
      const what = status === 'none' ? 'has no configuration that needs trust' : 'is trusted as it is';
      io.stderr.line(styled('dim', `${subject.configuration.workspace} ${what}.`));
    }
  }
  if (hash !== undefined) return trustHash(hash, open, io);
  for (const subject of open) if (!(await decide(subject, store, io))) return exitCodes.waiting;
  return exitCodes.ok;
}

/** Prints what is trusted. */
export async function listTrust(io: TerminalIo): Promise<void> {
  const listed = await storeIn(io).list();
  for (const { scope, workspace, hash, at } of listed) {
    const where = scope === 'user' ? `${workspace} (--user)` : workspace;
    io.stdout.line(`${hash.slice(0, shownDigits)}  ${at.slice(0, 10)}  ${where}`);
  }
  if (listed.length === 0) io.stderr.line(styled('dim', 'No directory is trusted.'));
}

/** Removes the trust in a workspace and the directories of its repository above it. @throws {CliError} `missing`. */
export async function removeTrust(target: TrustTarget, io: TerminalIo): Promise<void> {
  const { scope, directories } = await placesOf(target, io);
  let isRemoved = false;
  for (const directory of directories) isRemoved = (await storeIn(io).remove(directory, scope)) || isRemoved;
  const named = scope === 'user' ? userHome(io) : resolve(io.cwd, target.path ?? '.');
  if (!isRemoved)
    throw new CliError(exitCodes.missing, `${named} is not trusted.`, '`varve trust list` prints what is.');
}

function storeIn(io: TerminalIo): TrustStore {
  return trustStore({ home: varveHome(io) });
}

async function placesOf(
  { path, user }: TrustTarget,
  io: TerminalIo,
): Promise<{ readonly scope: ConfigurationScope; readonly directories: readonly string[] }> {
  if (user) return { scope: 'user', directories: [userHome(io)] };
  const workspace = resolve(io.cwd, path ?? '.');
  // A directory that was removed can still be in the list.
  const directories = await configurationDirectories(workspace, { userHome: userHome(io) }).catch(() => [workspace]);
  return { scope: 'project', directories };
}

async function trustHash(wanted: string, open: readonly TrustSubject[], io: TerminalIo): Promise<ExitCode> {
  const isHash = /^[0-9a-f]{16,64}$/.test(wanted);
  const subject = open.find(({ configuration }) => isHash && configuration.hash.startsWith(wanted));
  if (subject) {
    await show(subject, storeIn(io), io);
    await add(subject, storeIn(io), io);
  } else if (open.length > 0) {
    const places = open.map(({ configuration }) => configuration.workspace).join(' and ');
    throw new CliError(exitCodes.usage, `The configuration of ${places} has another hash than ${wanted}.`);
  }
  return exitCodes.ok;
}

async function decide(subject: TrustSubject, store: TrustStore, io: TerminalIo): Promise<boolean> {
  const { hash, scope, workspace } = subject.configuration;
  const lines = await show(subject, store, io);
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    io.stderr.line(`Trust it with: ${trustCommand(workspace, scope, io)} --hash ${hash.slice(0, shownDigits)}`);
    return false;
  }
  const runs = ['What it names runs with your rights.', ...subject.runs.map((what) => `· ${what}`)];
  const rows = runs.flatMap((line) => quotedRows(line, io.stderr.columns));
  for (const row of rows) io.stderr.line(row);
  for (const row of readingHints([...lines, ...rows], io.stderr)) io.stderr.line(styled('yellow', row));
  const answer = await io.ask('Trust exactly this content? [y/N] ', new AbortController().signal);
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) return false;
  await add(subject, store, io);
  return true;
}

/** Shows a configuration, or what has changed in it, and returns the rows. */
async function show({ configuration }: TrustSubject, store: TrustStore, io: TerminalIo): Promise<readonly string[]> {
  const { workspace, files, scope } = configuration;
  const before = (await store.find(workspace, scope))?.files;
  const title = before ? 'changed since you trusted it' : 'is not trusted';
  // A pipe wraps no line.
  const width = io.stderr.isTTY ? io.stderr.columns : Infinity;
  const titleRows = quotedRows(`The configuration of ${workspace} ${title}:`, width);
  const rows = barredRows(revealHidden(describeChange(files, before).replace(/\n$/, '')), width);
  for (const row of titleRows) io.stderr.line(styled('yellow', row));
  for (const row of rows) io.stderr.line(row);
  return [...titleRows, ...rows];
}

/** Stores the decision about the bytes that were shown. @throws {SettingsError} `untrusted` if they have changed. */
async function add({ configuration, digests }: TrustSubject, store: TrustStore, io: TerminalIo): Promise<void> {
  const { workspace, scope, hash, files } = configuration;
  const now = await trustSubject(workspace, { home: varveHome(io), userHome: userHome(io), scope });
  if (now.configuration.hash !== hash)
    throw new SettingsError('untrusted', `The configuration of ${workspace} changed while it was shown.`);
  await store.add(configuration, digests);
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  io.stderr.line(styled('dim', `Trusted exactly this content (${count}).`));
}
