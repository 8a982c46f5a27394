import { SettingsError } from '../error.ts';
import { readConfiguration, type ConfigurationScope } from '../trust/configuration.ts';
import { trustStore, type TrustStore } from '../trust/trust-store.ts';
import {
  configurationDirectories,
  trustSubject,
  type TrustDirectories,
  type TrustSubject,
} from '../trust/trust-subject.ts';

/** Directory with configuration that has no effect, because a person has not trusted it as it is. */
export interface UntrustedDirectory {
  readonly directory: string;
  readonly scope: ConfigurationScope;
  /** `refused`: it cannot be trusted, for the reason. */
  readonly status: 'untrusted' | 'changed' | 'refused';
  /** What of it would run, or the reason: texts of one line, with names from the directory. */
  readonly details: readonly string[];
}

/** What of the configuration of a workspace and its user a person has trusted. */
export interface TrustedParts {
  /** The root of the repository first, then the directories down to the workspace, the home directory last. */
  readonly trusted: readonly TrustSubject[];
  /** Directories in which something would run. */
  readonly untrusted: readonly UntrustedDirectory[];
  /** Reports whether a digest belongs to a trusted part. */
  readonly isTrusted: (digest: string) => boolean;
  /**
   * Reads the trusted configurations again. Called after their parts were loaded.
   *
   * @throws {SettingsError} `untrusted` if one of them has changed.
   */
  readonly checkUnchanged: () => Promise<void>;
}

/** Reads the configurations of a workspace and its user, and compares them with what a person has trusted. */
export async function trustedParts(workspace: string, directories: TrustDirectories): Promise<TrustedParts> {
  const store = trustStore(directories);
  const { userHome } = directories;
  const places = (await configurationDirectories(workspace, directories)).map(
    (directory) => [directory, 'project'] as const,
  );
  const trusted: TrustSubject[] = [];
  const untrusted: UntrustedDirectory[] = [];
  for (const [directory, scope] of [...places, ...(userHome === undefined ? [] : [[userHome, 'user'] as const])]) {
    const subject = await subjectOf({ directory, scope }, directories, store);
    if ('configuration' in subject) trusted.push(subject);
    else if (subject.details.length > 0) untrusted.push(subject);
  }
  const digests = new Set(trusted.flatMap((subject) => subject.digests));
  return {
    trusted,
    untrusted,
    isTrusted: (digest) => digests.has(digest),
    async checkUnchanged() {
      for (const { configuration } of trusted) await checkSame(configuration, directories);
    },
  };
}

async function subjectOf(
  place: Pick<UntrustedDirectory, 'directory' | 'scope'>,
  directories: TrustDirectories,
  store: TrustStore,
): Promise<TrustSubject | UntrustedDirectory> {
  try {
    const subject = await trustSubject(place.directory, { ...directories, scope: place.scope });
    const status = await store.status(subject.configuration, subject.digests);
    if (status === 'trusted') return subject;
    return { ...place, status: status === 'changed' ? status : 'untrusted', details: subject.runs };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { ...place, status: 'refused', details: [error.message] };
  }
}

async function checkSame(
  { workspace, scope, hash, files }: TrustSubject['configuration'],
  { home }: TrustDirectories,
): Promise<void> {
  const now = await readConfiguration(workspace, { home, scope, also: files.map(({ path }) => path) });
  if (now.hash !== hash)
    throw new SettingsError('untrusted', `The configuration of ${workspace} changed while it was loaded.`);
}
