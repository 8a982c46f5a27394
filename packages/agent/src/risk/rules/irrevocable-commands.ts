import { runsStatements } from '../../shell/words/input-texts.ts';
import type { ShellCommand } from '../../shell/shell-command.ts';

/** Programs with the arguments that do something; the arguments are joined by spaces. */
export type CommandTable = Readonly<Record<string, Pick<RegExp, 'test'>>>;

/** Returns a test for text in which another test is true of what follows the first match. Takes linear time. */
export function inOrder(first: RegExp, second: Pick<RegExp, 'test'>): Pick<RegExp, 'test'> {
  return {
    test(text) {
      const found = first.exec(text);
      return found !== null && second.test(text.slice(found.index + found[0].length));
    },
  };
}

function anyOf(...tests: readonly Pick<RegExp, 'test'>[]): Pick<RegExp, 'test'> {
  return { test: (text) => tests.some((one) => one.test(text)) };
}

const publish = /(?:^| )(?:un)?publish(?: |$)/;
const npm = /(?:^| )(?:(?:un)?publish|deprecate|dist-tag add|owner (?:add|rm)|access (?:set|grant|revoke))(?: |$)/;
const twine = inOrder(/(?:^| )-m ?twine /, /(?:^| )upload /);

/** Programs that publish packages, images or releases. */
export const publishing: CommandTable = {
  buildah: /(?:^| )push /,
  bun: publish,
  cargo: /(?:^| )(?:publish|yank|owner)(?: |$)/,
  changeset: /^publish/,
  docker: anyOf(/(?:^| )push /, inOrder(/(?:^| )buildx? /, /--push(?: |$)/)),
  dotnet: /(?:^| )nuget (?:push|delete) /,
  flit: publish,
  gem: /(?:^| )(?:push|yank) /,
  gh: /(?:^| )(?:release (?:create|delete|upload|edit)|gist create) /,
  gradle: /(?:^| )(?:\S*:)?publish\S*/,
  gradlew: /(?:^| )(?:\S*:)?publish\S*/,
  hatch: publish,
  lerna: publish,
  mvn: /(?:^| )(?:\S*:)?(?:deploy|release)(?:[: ]|$)/,
  mvnw: /(?:^| )(?:\S*:)?(?:deploy|release)(?:[: ]|$)/,
  npm,
  npx: /(?:^| )(?:(?:lerna|changeset|vsce|ovsx|@vscode\/vsce) publish|semantic-release|np)(?: |$)/,
  ovsx: publish,
  pdm: publish,
  pnpm: npm,
  podman: /(?:^| )push /,
  poetry: publish,
  python: twine,
  python3: twine,
  twine: /(?:^| )upload /,
  uv: publish,
  vsce: publish,
  yarn: /(?:^| )(?:publish|npm (?:publish|tag add)|tag add)(?: |$)/,
};

const infrastructure = /(?:^| )(?:destroy|apply|state rm|workspace delete)(?: |$)/;

/** Programs that change or delete servers, stored data and repositories that other machines hold. */
export const remoteDeletion: CommandTable = {
  aws: anyOf(
    /(?:^| )s3 (?:rm|rb|mv)(?: |$)|(?:^| )\S+ (?:delete|terminate|deregister|purge|remove)-\S/,
    inOrder(/(?:^| )s3 sync /, /--delete(?: |$)/),
  ),
  az: /(?:^| )(?:delete|purge)(?: |$)/,
  cdk: /(?:^| )(?:destroy|deploy)(?: |$)/,
  doctl: /(?:^| )(?:delete|rm|destroy)(?: |$)/,
  eksctl: /(?:^| )delete(?: |$)/,
  firebase: /(?:^| )(?:deploy|\S+:(?:delete|disable))(?: |$)/,
  fly: /(?:^| )(?:destroy|deploy)(?: |$)/,
  flyctl: /(?:^| )(?:destroy|deploy)(?: |$)/,
  gcloud: /(?:^| )(?:delete|deploy)(?: |$)/,
  gh: anyOf(
    /(?:^| )(?:repo|secret|variable|ssh-key|run|cache|label) (?:delete|remove|archive)(?: |$)/i,
    /(?:^| )(?:pr merge|(?:secret|variable) set|workflow (?:run|disable))(?: |$)/,
    inOrder(/(?:^| )api /i, /(?:-X ?|--method[ =])(?:DELETE|PUT|PATCH)(?: |$)|\bmutation\b/i),
  ),
  glab: anyOf(
    /(?:^| )(?:mr merge|(?:repo|variable|release|label|ssh-key) delete|variable (?:set|update)|release create)(?: |$)/,
    inOrder(/(?:^| )api /i, /(?:-X ?|--method[ =])(?:DELETE|PUT|PATCH)(?: |$)|\bmutation\b/i),
  ),
  gsutil: anyOf(/(?:^| )(?:rm|rb|mv)(?: |$)/, inOrder(/(?:^| )rsync /, /-\w*d/)),
  helm: /(?:^| )(?:uninstall|delete|del|un)(?: |$)/,
  heroku: /(?:^| )(?:\S+:(?:destroy|reset|delete)|(?:\S+ )?destroy)(?: |$)/,
  kubectl: anyOf(/(?:^| )(?:delete|drain)(?: |$)/, inOrder(/(?:^| )replace /, /--force(?: |$)/)),
  netlify: anyOf(inOrder(/(?:^| )deploy /, /--prod/), /(?:^| )(?:sites:delete|env:(?:set|unset))(?: |$)/),
  oc: /(?:^| )(?:delete|drain)(?: |$)/,
  pulumi: /(?:^| )(?:destroy|up|update|stack rm)(?: |$)/,
  rclone: /(?:^| )(?:delete|purge|deletefile|rmdirs?|sync|move)(?: |$)/,
  serverless: /(?:^| )(?:remove|deploy)(?: |$)/,
  sls: /(?:^| )(?:remove|deploy)(?: |$)/,
  terraform: infrastructure,
  terragrunt: /(?:^| )(?:run-all )?(?:destroy|apply)(?: |$)/,
  tofu: infrastructure,
  vercel: /(?:^| )(?:rm|remove|--prod|promote|rollback|env (?:add|rm))(?: |$)/,
  wrangler: /(?:^| )(?:delete|deploy|publish|rollback)(?: |$)/,
};

const composeData = inOrder(/(?:^| )down /, /-v(?: |$)|--vol|--rmi(?: |$)/);
const containerData = anyOf(
  /(?:^| )(?:system prune|volume (?:rm|remove|prune))(?: |$)/,
  inOrder(/(?:^| )compose /, composeData),
);
const sql =
  /\bdrop\s+(?:database|schema|table|role|user)\b|\btruncate\s+(?:table\s+)?\w|\bdelete\s+from\s+[\w."`[\]]+\s*(?:;|$|["'])/i;
const tasks = /(?:^| )db:(?:drop|reset|purge|schema:load)/;

/** Programs that delete databases, tables and volumes. */
export const dataDeletion: CommandTable = {
  docker: containerData,
  'docker-compose': composeData,
  dropdb: /./,
  mariadb: sql,
  mongosh: /dropDatabase|\.drop\(|deleteMany\(\{\}\)/,
  mysql: sql,
  mysqladmin: /(?:^| )drop /,
  nerdctl: containerData,
  npx: anyOf(/(?:^| )prisma migrate reset/, inOrder(/(?:^| )prisma db push /, /--(?:force-reset|accept-data-loss)/)),
  podman: containerData,
  prisma: anyOf(/^migrate reset/, inOrder(/^db push /, /--(?:force-reset|accept-data-loss)/)),
  psql: sql,
  rails: tasks,
  rake: tasks,
  'redis-cli': /\bflush(?:all|db)\b/i,
  sqlite3: sql,
};

/** Reports whether a command does what a table describes. */
export function isIn(table: CommandTable): (command: ShellCommand) => boolean {
  return (command) => {
    const { name, args, inputs } = command;
    const pattern = Object.hasOwn(table, name) ? table[name] : undefined;
    const texts = runsStatements(name) ? inputs : [];
    return (
      pattern !== undefined && [args.join(' '), ...texts].some((text) => pattern.test(text)) && !isDescription(command)
    );
  };
}

/** Reports whether a command only describes itself, or what it would do: `--dry-run false` of npm does it. */
function isDescription({ args, unseenArgs }: ShellCommand): boolean {
  if (args.length === 1 && /^--(?:help|version)$/.test(args[0] ?? '')) return true;
  const [at, ...others] = args.flatMap((arg, index) => (/dry-?run/.test(arg) ? [index] : []));
  if (at === undefined || others.length > 0 || unseenArgs.length > 0) return false;
  return /^--dry-run(?:=(?:true|client|server))?$/.test(args[at] ?? '') && args[at + 1] !== 'false';
}
