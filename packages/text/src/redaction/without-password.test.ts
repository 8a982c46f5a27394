import { expect, test } from 'vitest';
import { withoutPassword } from './without-password.ts';

test.for<readonly [url: string, expected: string]>([
  ['postgres://me:s3cret@host:5432/d?sslmode=require', 'postgres://host:5432/d'],
  ['postgres://me:s3cr/e@t@host/d', 'postgres://host/d'],
  ['postgres://me:s3\ncret@host/d', 'postgres://host/d'],
  ['postgres:///d?password=s3cret', 'postgres:///d'],
  ['postgres://host/d', 'postgres://host/d'],
  ['sqlite:/a@b/c?d.db', 'sqlite:/a@b/c?d.db'],
  ['memory:', 'memory:'],
])('of %j remains %j', ([url, expected]) => {
  expect(withoutPassword(url)).toBe(expected);
});
