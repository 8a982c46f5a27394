import { expect, test } from 'vitest';
import { proxyVariables } from './arguments.ts';

test('programs of Java are led to the proxy, too, and keep their options', () => {
  const { MAVEN_OPTS, GRADLE_OPTS, HTTPS_PROXY } = proxyVariables({ MAVEN_OPTS: '-Xmx1g' });
  const proxy = ['http', 'https'].map((name) => `-D${name}.proxyHost=127.0.0.1 -D${name}.proxyPort=3128`).join(' ');
  expect([MAVEN_OPTS, GRADLE_OPTS, HTTPS_PROXY]).toEqual([`-Xmx1g ${proxy}`, proxy, 'http://127.0.0.1:3128']);
});
