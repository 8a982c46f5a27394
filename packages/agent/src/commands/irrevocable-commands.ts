import { posix } from 'node:path';
import { type Match } from './command-match.ts';
import { matchesCommand } from './command-match.ts';
import type { PlainCommand } from './plain-commands.ts';

/** Kinds of commands that reach beyond the machine or cannot be undone. */
const kinds = {
  publishes: 'It publishes something',
  sends: 'It changes a repository on another machine',
  deletesRemote: 'It changes or deletes servers, stored data or repositories elsewhere',
  deletesData: 'It deletes databases, tables or volumes',
  showsSecret: 'It prints a password or key',
  machine: 'It changes the machine or a disk',
} as const;

/** Rows of programs, with the words that select such a command of any of them: without words each is always one. */
const table: Readonly<Record<keyof typeof kinds, readonly string[]>> = {
  publishes: [
    'pnpm bun lerna changeset vsce ovsx poetry uv pdm hatch flit gradle: publish',
    'npm: publish, unpublish, deprecate, dist-tag, owner, access',
    'yarn: publish, npm publish',
    'npx: lerna publish, changeset publish, vsce publish, semantic-release, np',
    'cargo: publish, yank, owner',
    'gem: push, yank',
    'twine: upload',
    'dotnet: nuget push, nuget delete',
    'docker: push, image push',
    'podman buildah: push',
    'mvn: deploy',
    'gh: release create, release delete, release upload, release edit, gist create',
  ],
  sends: [
    'git: push, send-pack',
    'gh: pr merge, pr close, issue close, workflow run, api, secret set, variable set, repo edit, repo create',
    'glab: mr merge, api, variable set',
  ],
  deletesRemote: [
    'gh: repo delete, repo archive, secret delete, variable delete, run delete, ssh-key delete',
    'glab: repo delete, variable delete, release delete',
    'terraform tofu: destroy, apply, state rm, workspace delete',
    'terragrunt: destroy, apply, run-all',
    'pulumi: destroy, up, stack rm',
    'cdk: destroy, deploy',
    'kubectl: delete, drain, apply, replace',
    'oc: delete, drain, apply',
    'helm: uninstall, delete, upgrade',
    'aws: s3 rm, s3 rb, s3 mv, s3 sync, s3 cp',
    'gsutil: rm, rb, mv, rsync',
    'rclone',
    'az: group delete',
    'gcloud: projects delete, app deploy, run deploy',
    'doctl: compute',
    'eksctl: delete',
    'heroku: apps:destroy, pg:reset',
    'fly flyctl: deploy, destroy',
    'firebase netlify: deploy',
    'vercel: --prod, remove, rm',
    'wrangler: deploy, delete',
    'serverless: deploy, remove',
  ],
  deletesData: [
    'dropdb',
    'mysqladmin: drop',
    'redis-cli: flushall, flushdb, FLUSHALL, FLUSHDB',
    'docker: system prune, volume rm, volume prune, compose down -v, compose down --volumes',
    'docker-compose: down -v, down --volumes',
    'podman: volume rm, volume prune, system prune',
    'prisma: migrate reset',
    'npx: prisma migrate reset, sequelize db:drop',
    'sequelize: db:drop',
    'rails rake: db:drop, db:reset',
    'artisan: migrate:fresh',
    'manage.py: flush',
    'flyway: clean',
    'supabase: db reset',
  ],
  showsSecret: [
    'gh: auth token',
    'gcloud: auth print-access-token',
    'aws: configure get',
    'npm: token',
    'pass: show',
    'op: read',
    'security: find-generic-password',
    'gpg: --export-secret-keys, --delete-secret-keys',
    'kubectl: get secret, get secrets',
  ],
  machine: [
    'shutdown reboot halt poweroff mkfs wipefs fdisk parted shred iptables usermod userdel crontab',
    'systemctl: stop, disable, mask',
    'apt-get apt: purge',
  ],
};

/** Returns the patterns of a row. */
function patternsOf(row: string): readonly string[] {
  const [names = '', verbs] = row.split(': ');
  const programs = names.split(' ');
  if (verbs === undefined) return programs;
  return programs.flatMap((program) => verbs.split(', ').map((words) => `${program} ${words}`));
}

const patterns = Object.entries(kinds).map(([kind, sentence]) => ({
  sentence,
  patterns: table[kind as keyof typeof kinds].flatMap(patternsOf),
}));

/** Clients of databases, whose statements are an argument. */
const databases = new Set(['psql', 'mysql', 'mariadb', 'sqlite3', 'mongosh', 'duckdb', 'clickhouse-client']);
const deletingStatement =
  /\bdrop\s+(?:database|schema|table|role|user)\b|\btruncate\s+\w|\bdelete\s+from\b|\bdropDatabase\b|\.drop\(/i;

/** Programs that run the command after them. */
const runners = /^(?:sudo|doas|env|nice|nohup|time|timeout|xargs|npx|exec|command|stdbuf|python3?|php|ruby|bundle)$/;

/** Returns why a command reaches beyond the machine or cannot be undone, as a sentence; undefined for any other. */
export function irrevocableCommand(command: PlainCommand): string | undefined {
  const [program = '', ...args] = command.words;
  if (args.some((arg) => /^--(?:help|version|dry-run)$/.test(arg))) return undefined;
  if (databases.has(posix.basename(program)) && args.some((arg) => deletingStatement.test(arg)))
    return kinds.deletesData;
  const byMatch = (wanted: Match): string | undefined =>
    patterns.find((kind) => kind.patterns.some((pattern) => matchesCommand(pattern, command) === wanted))?.sentence;
  return byMatch('yes') ?? (runners.test(posix.basename(program)) ? byMatch('maybe') : undefined);
}
