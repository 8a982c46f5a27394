/** What a job of a workflow may do beyond reading the repository; other jobs have no further rights. */
const rightsOf: Readonly<Record<string, readonly string[]>> = {
  version: ['contents: write', 'pull-requests: write'],
  publish: ['contents: write', 'id-token: write'],
};

/** Commands of jobs that may write: none of them runs code of the repository or an install script. */
const harmless = [
  /^npm install --global pnpm@\d+\.\d+\.\d+$/,
  /^pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile$/,
];

/**
 * Returns what is wrong with a workflow, in words: another event than a push or a pull request, rights that a job does
 * not need, an action without the hash of its commit, credentials that a later step could read, values of an event in a
 * command, dependencies that are not those of the lockfile, and a job without an end.
 */
export function workflowProblems(workflow: string): readonly string[] {
  const lines = workflow.split('\n').map((line) => line.replace(/ #.*$|^#.*$/, '').trimEnd());
  const text = lines.join('\n');
  const head = text.slice(0, text.indexOf('\njobs:\n'));
  return [
    ...eventsIn(head)
      .filter((event) => event !== 'push' && event !== 'pull_request')
      .map((event) => `event ${event}`),
    ...(/^permissions: \{\}$/m.test(head) ? [] : ['rights of all jobs']),
    ...(/secrets[.[]|secrets: *inherit/.test(text) ? ['secret'] : []),
    ...actionsIn(lines)
      .filter((action) => !/^[\w/-]+@[0-9a-f]{40}$/.test(action))
      .map((action) => `action ${action}`),
    ...workflow
      .split('\n')
      .filter((line) => /uses:/.test(line) && !/ # v\d+\.\d+\.\d+$/.test(line))
      .map((line) => `version of ${line}`),
    ...commandsIn(lines)
      .filter((command) => command.includes('${{'))
      .map((command) => `value in ${command}`),
    ...commandsIn(lines)
      .filter((command) => /\b(?:pnpm|npm) (?:install|i|ci|add)\b/.test(command))
      .filter((command) => !/--frozen-lockfile|--global pnpm@\d/.test(command))
      .map((command) => `lockfile of ${command}`),
    ...jobsOf(text).flatMap(([name, job]) => jobProblems(name, job)),
  ];
}

function jobProblems(name: string, job: string): readonly string[] {
  const lines = job.split('\n');
  const rights = rightsIn(lines);
  const expected = rightsOf[name] ?? ['contents: read'];
  const canWrite = rights === undefined || rights.some((right) => !right.endsWith(': read'));
  const checkouts = job.split('uses: actions/checkout@').slice(1);
  const publishes = rights?.includes('id-token: write') ?? false;
  return [
    ...(rights !== undefined && rights.toSorted().join() === expected.toSorted().join() ? [] : ['rights']),
    ...(checkouts.every((step) => /^.*\n +with:\n +persist-credentials: false(?:\n|$)/.test(step))
      ? []
      : ['credentials']),
    ...(/^ {4}timeout-minutes: \d+$/m.test(job) ? [] : ['time limit']),
    ...(canWrite ? commandsIn(lines).filter((command) => !harmless.some((one) => one.test(command))) : []),
    ...(publishes && !/^ {4}environment: npm$/m.test(job) ? ['approval'] : []),
    ...(canWrite && /^ +cache:/m.test(job) ? ['cache'] : []),
  ].map((problem) => `${problem} of the job ${name}`);
}

/** Returns the name and the text of each job. */
function jobsOf(text: string): readonly (readonly [name: string, job: string])[] {
  const jobs = text.slice(text.indexOf('\njobs:\n') + '\njobs:\n'.length).split(/^(?= {2}\S)/m);
  return jobs.filter((job) => job.trim() !== '').map((job) => [job.slice(0, job.indexOf(':')).trim(), job]);
}

/** Returns the rights that a job names, one on each line; undefined if it names none in this form. */
function rightsIn(lines: readonly string[]): readonly string[] | undefined {
  const start = lines.indexOf('    permissions:');
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !/^ {6}\S/.test(line));
  return rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim());
}

/** Returns the names of events. Other forms than one event on each line are an event of their own. */
function eventsIn(head: string): readonly string[] {
  const [, events] = /^on:\n((?: .*\n)*)/m.exec(head) ?? [];
  if (events === undefined) return ['in another form'];
  return events.split('\n').flatMap((line) => /^ {2}(\w+):/.exec(line)?.[1] ?? []);
}

function actionsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /\buses["']?\s*:\s*(.*)$/.exec(line)?.[1] ?? []);
}

/** Returns the commands of steps; further lines of a command of several lines are commands of their own. */
function commandsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, at) => {
    const command = /^(?<indent> *)(?:- )?run: *(?<first>.*)$/.exec(line)?.groups;
    if (!command) return [];
    const { indent = '', first = '' } = command;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => next.trim() !== '' && !next.startsWith(`${indent}    `));
    const more = /^[|>]/.test(first) ? rest.slice(0, end < 0 ? undefined : end) : [];
    return [...(more.length > 0 ? [] : [first]), ...more.map((next) => next.trim())].filter((one) => one !== '');
  });
}
