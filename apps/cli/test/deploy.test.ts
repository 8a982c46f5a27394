import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
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

test('the compose file requires a key and publishes the port on this machine only', async () => {
  const { services } = parse(await file('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
  };
  const { varve = {} } = services;
  expect(varve['environment']).toMatchObject({ VARVE_SESSION_API_KEY: expect.stringContaining(':?') });
  expect(varve['ports']).toEqual(['127.0.0.1:8000:8000']);
  expect(varve).toMatchObject({ init: true, user: 'node', stop_grace_period: '30s', cap_drop: ['ALL'] });
  expect(JSON.stringify(varve['healthcheck'])).toContain('/ready');
  expect(varve['volumes']).toEqual(['./data:/data']);
  expect(await settingsOf(String(varve['command']))).toMatch(/server\.host +0\.0\.0\.0 +--host/);
});

test('the compose file of replicas gives each its own address and all the same keys', async () => {
  const { services } = parse(await file('compose-replicas.yaml'), { merge: true }) as {
    services: Record<string, { readonly command?: string; readonly environment?: object; readonly ports?: unknown }>;
  };
  for (const name of ['varve-1', 'varve-2']) {
    const { command = '', environment, ports } = services[name] ?? {};
    expect(environment).toMatchObject({
      VARVE_SESSION_API_KEY: expect.stringContaining(':?'),
      OH_SECRET_KEY: expect.stringContaining(':?'),
    });
    expect(ports).toBeUndefined();
    const settings = await settingsOf(command);
    expect(settings).toMatch(new RegExp(`server\\.address +http://${name}:8000 +--address`));
    expect(settings).toMatch(/store +postgres:\/\/database\/postgres/);
  }
  expect(services['balancer']?.ports).toEqual(['127.0.0.1:8000:8000']);
});
