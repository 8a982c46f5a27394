import { fetches, operandsOf } from '../../shell/affected-files.ts';
import { hasName, type ShellCommand } from '../../shell/shell-command.ts';

const local = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/;

/** Options of curl and wget whose value is the next argument. */
const valued =
  /^(?:-[a-zA-Z]*[AbcdDeEFHKmoTuUwxXyYz]|--(?:output|proxy|header|user|user-agent|referer|data|data-\w+|form|form-\w+|json|upload-file|cookie|cookie-jar|request|max-time|connect-timeout|write-out|retry|cacert|cert|key))$/;

/** Programs that send what they read. */
const connects = hasName('nc', 'ncat', 'netcat', 'socat', 'telnet', 'ftp', 'sftp', 'mail', 'mailx', 'sendmail', 'ssh');
/** Programs that send their arguments, or files that these name. */
const sends = hasName(
  'aws',
  'dig',
  'gcloud',
  'gh',
  'gsutil',
  'host',
  'http',
  'https',
  'curl',
  'nslookup',
  'openssl',
  'ping',
  'rclone',
  'wget',
  'xh',
);
/** Programs that print files. */
const prints = hasName('cat', 'tar', 'gzip', 'zip', 'base64', 'xxd', 'openssl', 'dd', 'gpg', 'pg_dump', 'mysqldump');

/** Files with settings that are usually secret, and not their templates. */
const settings = /(?:^|[/@=<])\.env(?:\.(?!example|sample|template|dist|defaults)[\w.]+)?$/;

/** Reports whether a command sends files to another machine. */
export function sendsFiles(command: ShellCommand): boolean {
  const { name, args, reads, feeds } = command;
  // Options may follow the target, with a value that looks like one.
  if (name === 'scp' || name === 'rsync')
    return operandsOf(args)
      .slice(1)
      .some((arg) => /^[^/.~][^/]*:/.test(arg));
  const isSent = feeds.some((reader) => connects({ name: reader }));
  const isClient = connects(command) || (name === 'openssl' && args[0] === 's_client');
  if (isClient && reads.some((file) => file !== '/dev/null')) return true;
  if (isSent && prints(command) && operandsOf(args).length > 0) return true;
  return sendsSecrets(command, isSent) || (fetches(command) && uploads(command));
}

function sendsSecrets(command: ShellCommand, isSent: boolean): boolean {
  const { name, args, reads, feeds } = command;
  const isRead = [...args, ...reads].some((file) => settings.test(file));
  const isEnvironment = hasName('env', 'printenv')(command) && args.length === 0;
  if (isRead && sends({ name }) && !isLocal(args)) return true;
  return (isRead || isEnvironment) && (isSent || feeds.some((reader) => sends({ name: reader })));
}

/** Reports whether all addresses in the arguments of curl or wget are on this machine. */
function isLocal(args: readonly string[]): boolean {
  const addresses = args.filter(
    (arg, at) => !arg.startsWith('-') && !valued.test(args[at - 1] ?? '') && /[.:]|^localhost/.test(arg),
  );
  return addresses.length > 0 && addresses.every((arg) => local.test(arg));
}

function uploads({ args }: ShellCommand): boolean {
  if (isLocal(args)) return false;
  return args.some(
    (arg, at) =>
      /^(?:-[a-zA-Z]*T|--upload|--post-fi|--body-fi)/.test(arg) ||
      /^(?:-[a-ce-zA-EG-Z]*[dF]|--(?:data|form)[^\s=]*=)[^]*@/.test(arg) ||
      (/^(?:-[a-zA-Z]*[dF]|--data[\w-]*|--form[\w-]*|--json)$/.test(args[at - 1] ?? '') &&
        /^(?:[\w.-]*=?)?[@<]/.test(arg)),
  );
}
