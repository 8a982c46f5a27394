import { expect, test } from 'vitest';
import { explain, sandboxProblem } from './probe.ts';

const message = 'bwrap: setting up uid map: Permission denied';

test.for([
  [{}, 'The sandbox does not work here: bwrap: setting up uid map: Permission denied'],
  [{ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' }, 'AppArmor forbids user namespaces'],
  [{ '/proc/sys/kernel/unprivileged_userns_clone': '0' }, 'kernel.unprivileged_userns_clone=1'],
  [{ '/proc/sys/user/max_user_namespaces': '0' }, 'user.max_user_namespaces'],
  [{ '/.dockerenv': '' }, 'This container forbids a sandbox in it'],
] as const)('explains a failure by the settings %j', ([settings, expected]) => {
  expect(explain(message, (path) => new Map<string, string>(Object.entries(settings)).get(path))).toContain(expected);
});

test('names the system that has no sandbox', async () => {
  expect(await sandboxProblem('win32')).toBe('There is no sandbox for the system win32; on Windows use WSL 2.');
});

test('asks for a newer bubblewrap', () => {
  expect(explain('bwrap: Unknown option --disable-userns', () => undefined)).toContain('0.8 or later');
});
