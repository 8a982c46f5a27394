import { isAlias, isMap, isScalar, parseDocument, visit, type Document } from 'yaml';

/** What a job of a workflow may do beyond reading the repository; other jobs have no further rights. */
const rightsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  version: { contents: 'write', 'pull-requests': 'write' },
  publish: { contents: 'write', 'id-token': 'write' },
};

/** Keys that parts of a workflow may have. No variable, shell, container or directory of a step or job can be set. */
const keys = {
  workflow: ['name', 'on', 'permissions', 'concurrency', 'jobs'],
  job: 'if needs runs-on timeout-minutes environment permissions outputs strategy steps'.split(' '),
  step: ['id', 'name', 'uses', 'with', 'run'],
};

/** Actions with their inputs. None of the inputs is a command, a cache or another registry. */
const inputsOf: Readonly<Record<string, readonly string[]>> = {
  'actions/checkout': ['persist-credentials'],
  'actions/setup-node': ['node-version'],
  'actions/upload-artifact': ['name', 'path'],
  'changesets/action/select-mode': [],
  'changesets/action/version': [],
  'changesets/action/pack': ['publish-plan-artifact-id'],
  'changesets/action/publish': ['pack-dir-artifact-id'],
};

/** Commands of jobs that may write: none of them runs code of the repository or an install script. */
const harmless = [
  /^npm install --global pnpm@\d+\.\d+\.\d+$/,
  /^pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile$/,
];

/** Values that a workflow reads: none that a person outside of the project writes, and no secret. */
const expression =
  /^(?:github\.(?:workflow|ref)|matrix\.\w+|(?:needs|steps)\.\w+\.outputs\.[\w-]+|(?:github\.repository|needs\.\w+\.outputs\.\w+) == '[\w/-]+')$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns what is wrong with a workflow, in words: another event than a push or a pull request, rights that a job does
 * not need, an action without the hash of its commit, credentials that a later step could read, values of an event,
 * variables, dependencies that are not those of the lockfile, and a job without an end.
 */
export function workflowProblems(workflow: string): readonly string[] {
  const document = parseDocument(workflow, { merge: false, version: '1.2' });
  if (document.errors.length > 0 || !isMap(document.contents)) return ['not YAML'];
  const { on, permissions, concurrency, jobs, ...rest } = fieldsOf(document.toJS({ maxAliasCount: 0 }));
  return [
    ...nodeProblems(document),
    ...unknownKeys({ on, permissions, concurrency, jobs, ...rest }, keys.workflow),
    ...unknownKeys(fieldsOf(on), ['push', 'pull_request']).map((problem) => `event: ${problem}`),
    ...Object.values(fieldsOf(on)).flatMap((event) => unknownKeys(fieldsOf(event), ['branches'])),
    ...unknownKeys(fieldsOf(concurrency), ['group', 'cancel-in-progress']),
    ...(isObject(on) && Object.keys(on).length > 0 ? [] : ['events in another form']),
    ...(isEqual(permissions, {}) ? [] : ['rights of all jobs']),
    ...Object.entries(fieldsOf(jobs)).flatMap(([name, job]) =>
      jobProblems(name, fieldsOf(job)).map((problem) => `${problem} of the job ${name}`),
    ),
  ];
}

/** Returns problems of single values: aliases, tags, expressions, and actions without their version in a comment. */
function nodeProblems(document: Document): readonly string[] {
  const problems: string[] = [];
  visit(document, (key, node, path) => {
    if (isAlias(node)) problems.push('alias');
    if (!isScalar(node) || typeof node.value !== 'string') return;
    const parts = [...node.value.matchAll(/\$\{\{(.*?)\}\}/gs)].map(([, part = '']) => part.trim());
    if (node.value.replaceAll(/\$\{\{.*?\}\}/gs, '').includes('${{')) parts.push(node.value);
    const pair = path.at(-1) as { readonly key?: { readonly value?: unknown } } | undefined;
    const name = key === 'value' ? pair?.key?.value : undefined;
    if (name === 'if') parts.push(node.value);
    problems.push(...parts.filter((part) => !expression.test(part)).map((part) => `value ${part}`));
    const isVersioned = /^ v\d+\.\d+\.\d+$/.test(node.comment ?? '');
    if (name === 'uses' && !isVersioned) problems.push(`version of ${node.value}`);
  });
  return problems;
}

function jobProblems(name: string, job: Fields): readonly string[] {
  const rights = fieldsOf(job['permissions']);
  const canWrite = Object.values(rights).some((right) => right !== 'read');
  const isTimed = Number.isInteger(job['timeout-minutes']);
  const steps = Array.isArray(job['steps']) ? job['steps'].map(fieldsOf) : [];
  return [
    ...unknownKeys(job, keys.job),
    ...(isEqual(rights, rightsOf[name] ?? { contents: 'read' }) ? [] : ['rights']),
    ...(isTimed ? [] : ['time limit']),
    ...(/^(?:ubuntu-latest|\$\{\{ matrix\.os \}\})$/.test(String(job['runs-on'])) ? [] : ['machine']),
    ...('id-token' in rights && job['environment'] !== 'npm' ? ['approval'] : []),
    ...(canWrite && 'strategy' in job ? ['matrix'] : []),
    ...(/self-hosted/.test(JSON.stringify(job)) ? ['own machine'] : []),
    ...unknownKeys(fieldsOf(job['strategy']), ['fail-fast', 'matrix']),
    ...(steps.length > 0 ? [] : ['steps']),
    ...steps.flatMap((step) => [
      ...unknownKeys(step, keys.step),
      ...('uses' in step ? actionProblems(step) : commandProblems(step, canWrite)),
    ]),
  ];
}

function actionProblems({ uses, run, with: inputs = {} }: Fields): readonly string[] {
  const [action = '', commit = ''] = String(uses).split('@');
  const allowed = inputsOf[action];
  return [
    ...(/^[\w-]+(?:\/[\w-]+)+$/.test(action) && /^[0-9a-f]{40}$/.test(commit) ? [] : [`action ${String(uses)}`]),
    ...(run === undefined ? [] : ['command of an action']),
    ...(allowed ? unknownKeys(fieldsOf(inputs), allowed) : [`unknown action ${action}`]),
    ...(action !== 'actions/checkout' || isEqual(inputs, { 'persist-credentials': false }) ? [] : ['credentials']),
  ];
}

function commandProblems({ run, with: inputs }: Fields, canWrite: boolean): readonly string[] {
  if (typeof run !== 'string' || run.trim() === '' || inputs !== undefined) return ['step without a command'];
  const lines = run.split('\n').filter((line) => line.trim() !== '');
  return [
    ...(run.includes('${{') ? [`value in ${run}`] : []),
    ...(canWrite ? lines.filter((line) => !harmless.some((pattern) => pattern.test(line))) : []),
    ...lines
      .filter((line) => /\b(?:npm|npx|yarn|bun|bunx|corepack|pnpm +(?:install|i|ci|add|dlx|update|up))\b/.test(line))
      .filter((line) => !/^pnpm install --frozen-lockfile\b|^npm install --global pnpm@\d|^npx -y pnpm@\d/.test(line))
      .map((line) => `lockfile of ${line}`),
  ];
}

function unknownKeys(fields: Fields, known: readonly string[]): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || known.includes(key) ? [] : [`key ${key}`],
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fields of an object; of anything else none, so that what they must contain is missing. */
function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isEqual(value: unknown, expected: Fields): boolean {
  if (!isObject(value) || Object.keys(value).length !== Object.keys(expected).length) return false;
  return Object.entries(expected).every(([key, wanted]) => value[key] === wanted);
}
