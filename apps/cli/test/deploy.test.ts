import { readFile } from 'node:fs/promises';
import { parse, parseAllDocuments } from 'yaml';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const file = async (name: string) => readFile(new URL(`../../../examples/deploy/${name}`, import.meta.url), 'utf8');

/** Returns the settings that the arguments of `varve serve` in a command result in. */
async function settingsOf(command: string): Promise<string> {
  const [, args = ''] = /\bserve (.*)$/.exec(command) ?? [];
  const env = { VARVE_SESSION_API_KEY: 'a-key' };
  const { code, stdout, stderr } = await runVarve(['serve', ...args.split(' '), '--print-config'], {
    home: await newHome(),
    env,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

test('the unit of systemd has valid lines and starts a server of this machine only', async () => {
  const sections: Record<string, Record<string, string>> = {};
  let section = '';
  for (const line of (await file('varve.service')).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key = '', value = ''] = /^([A-Z]\w+)=(.+)$/.exec(line) ?? [];
    expect(name ?? key, line).not.toBe('');
    if (name === undefined) (sections[section] ??= {})[key] = value;
    else section = name;
  }
  expect(Object.keys(sections)).toEqual(['Unit', 'Service', 'Install']);
  const { Service: service = {} } = sections;
  expect(service).toMatchObject({
    User: 'varve',
    Restart: 'on-failure',
    NoNewPrivileges: 'yes',
    KillSignal: 'SIGTERM',
  });
  expect(Number(service['TimeoutStopSec'])).toBeGreaterThan(10);
  const settings = await settingsOf(service['ExecStart'] ?? '');
  expect(settings).toMatch(/server\.host +127\.0\.0\.1 +--host/);
  expect(settings).toMatch(/store +sqlite:\/var\/lib\/varve\//);
  expect(await file('environment.example')).toMatch(/^VARVE_SESSION_API_KEY=replace-me$/m);
});

/** Returns the instructions of the last stage of the Dockerfile, each with its arguments. */
async function image(): Promise<ReadonlyMap<string, string>> {
  const lines = (await file('Dockerfile')).replaceAll('\\\n', ' ').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  return new Map(last.map((line) => [line.split(' ', 1)[0] ?? '', line.replace(/^\w+ /, '')]));
}

test('the image has the tested versions of Node and pnpm, starts as another user than root and asks /ready', async () => {
  const { catalog } = parse(await file('../../pnpm-workspace.yaml')) as { catalog: { readonly node: string } };
  const { packageManager } = JSON.parse(await file('../../package.json')) as { packageManager: string };
  const text = await file('Dockerfile');
  const bases = [...text.matchAll(/^FROM node:([\d.]+)-bookworm/gm)];
  expect(bases.map(([, version]) => version)).toEqual([catalog.node, catalog.node]);
  expect(text).toContain(`npm install --global ${packageManager}`);
  const instructions = await image();
  expect(instructions.get('USER')).toBe('node');
  expect(instructions.get('HEALTHCHECK')).toContain('/ready');
  const [, ...start] = JSON.parse(instructions.get('ENTRYPOINT') ?? '') as readonly string[];
  const command = [...start, ...(JSON.parse(instructions.get('CMD') ?? '') as readonly string[])].join(' ');
  expect(command).toMatch(/^-- varve serve /);
  const settings = await settingsOf(command);
  expect(settings).toMatch(/server\.host +0\.0\.0\.0 +--host/);
  expect(settings).toMatch(/store +sqlite:\/data\//);
});

test('the compose file requires a key and publishes the port on this machine only', async () => {
  const { services } = parse(await file('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
  };
  const { varve = {} } = services;
  expect(varve['environment']).toMatchObject({ VARVE_SESSION_API_KEY: expect.stringContaining(':?') });
  expect(varve['ports']).toEqual(['127.0.0.1:8000:8000']);
  expect(varve).toMatchObject({ image: 'varve', stop_grace_period: '30s', cap_drop: ['ALL'] });
  expect(varve['volumes']).toEqual(['./data:/data']);
});

test('the compose file of replicas gives each its own address and all the same keys, and publishes TLS only', async () => {
  const { services, configs } = parse(await file('compose-replicas.yaml'), { merge: true }) as {
    services: Record<string, { readonly command?: string; readonly environment?: object; readonly ports?: unknown }>;
    configs: Record<'balancer' | 'role', { readonly content: string }>;
  };
  const owner = services['tables'];
  expect(owner?.command).toMatch(/^migrate --role varve_app --store postgres:\/\/postgres@database\//);
  expect(owner?.environment).toMatchObject({ PGPASSWORD: expect.stringContaining('POSTGRES_PASSWORD') });
  expect(configs.role.content).toMatch(/^CREATE ROLE varve_app LOGIN PASSWORD '\$\{PGPASSWORD:/);
  const replicas = Object.keys(services).filter((name) => name.startsWith('varve-'));
  expect(replicas).toHaveLength(3);
  for (const name of replicas) {
    const { command = '', environment, ports } = services[name] ?? {};
    expect(environment).toMatchObject({
      VARVE_SESSION_API_KEY: expect.stringContaining(':?'),
      OH_SECRET_KEY: expect.stringContaining(':?'),
      PGPASSWORD: expect.stringContaining('{PGPASSWORD:?'),
    });
    expect(command).toContain('postgres://varve_app@database/');
    expect(ports).toBeUndefined();
    const settings = await settingsOf(command.replace(/\$\{VARVE_HOST:[^}]*\}/, 'varve.example'));
    expect(settings).toMatch(new RegExp(`server\\.address +http://${name}:8000 +--address`));
    expect(settings).toMatch(/store +postgres:\/\/database\/postgres/);
    expect(configs.balancer.content).toContain(`server ${name}:8000 resolve fail_timeout=1s;`);
  }
  expect(services['balancer']?.ports).toEqual(['443:8443']);
  expect(configs.balancer.content.match(/listen .*/g)).toEqual(['listen 8443 ssl;']);
});

/** A resource of Kubernetes, as far as the tests read it. */
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

test('the manifests start three replicas with their own addresses, which stop in time and accept their peers', async () => {
  const documents = parseAllDocuments(await file('kubernetes.yaml'));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const resources = documents.map((document) => document.toJS() as Resource);
  const { spec = {} } = resources.find(({ kind }) => kind === 'Deployment') ?? {};
  const pod = (spec['template'] as { readonly spec: Record<string, unknown> }).spec;
  const [container = {}] = pod['containers'] as readonly Record<string, unknown>[];
  expect(spec).toMatchObject({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
  expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
  expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(5 + 10);
  const [tables] = pod['initContainers'] as readonly Record<string, unknown>[];
  expect(tables).toMatchObject({
    image: container['image'],
    args: expect.arrayContaining(['migrate', '--role=varve_app']),
    envFrom: [{ secretRef: { name: 'varve-owner' } }],
  });
  expect(container['args']).toContainEqual(expect.stringContaining('postgres://varve_app@'));
  expect(container).toMatchObject({
    readinessProbe: { httpGet: { path: '/ready' } },
    livenessProbe: { httpGet: { path: '/alive' } },
    lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
    env: expect.arrayContaining([{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }]),
    envFrom: [{ secretRef: { name: 'varve' } }],
  });
  const args = (container['args'] as readonly string[]).join(' ').replace('$(POD_IP)', '10.0.0.1');
  const settings = await settingsOf(args);
  expect(settings).toMatch(/server\.address +http:\/\/10\.0\.0\.1:8000 +--address/);
  expect(settings).toMatch(/store +postgres:\/\/database\.example\/varve/);
  const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name);
  expect(policies).toEqual(['varve', 'varve-database']);
  expect(resources.find(({ kind }) => kind === 'Service')?.spec['sessionAffinity']).toBe('None');
  expect(resources.find(({ kind }) => kind === 'PodDisruptionBudget')?.spec).toMatchObject({ maxUnavailable: 1 });
});
