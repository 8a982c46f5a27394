import { isIPv4 } from 'node:net';
import { isLoopback, type Variables, withoutUndefined } from '@varve/text';

/** Proxies of a process, in the form in which Node reads them. */
export interface ProxyVariables {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy: string;
}

/** Addresses of this machine, which no proxy is asked for. */
const thisMachine = 'localhost,*.localhost,127.0.0.1,127.0.0.1-127.255.255.254,::1,[::1]';

/**
 * Returns the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, lower case first; undefined without
 * any. A name in `NO_PROXY` means its subdomains, too, as other programs read it.
 */
export function proxyVariables(env: Variables): ProxyVariables | undefined {
  const [http, https] = [proxyOf('http_proxy', env), proxyOf('https_proxy', env)];
  if (http === undefined && https === undefined) return undefined;
  const named = exceptions(env).flatMap((each) => (/^[*.\d[]/.test(each) ? [each] : [each, `.${each}`]));
  return {
    ...withoutUndefined({ http_proxy: http, https_proxy: https }),
    no_proxy: [thisMachine, ...named].join(','),
  };
}

/** Returns the proxy for an address, without user name and password; undefined if it is reached directly. */
export function proxyFor(address: string, env: Variables): string | undefined {
  const url = URL.parse(address);
  if (!url || isLoopback(address)) return undefined;
  const proxy = exceptions(env).some((each) => covers(each, url))
    ? undefined
    : proxyOf(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', env);
  return proxy === undefined ? undefined : `${new URL(proxy).protocol}//${new URL(proxy).host}`;
}

/** Reports whether an exception covers an address: a name with its subdomains, an address or a range of them. */
function covers(exception: string, { hostname, port, protocol }: URL): boolean {
  const [first = '', last] = exception.split('-');
  if (isIPv4(first) && last !== undefined && isIPv4(last)) {
    return isIPv4(hostname) && numberOf(first) <= numberOf(hostname) && numberOf(hostname) <= numberOf(last);
  }
  const [, name = '', onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(exception) ?? [];
  const isHost = name === '*' || hostname === name || hostname.endsWith(`.${name}`);
  return isHost && (onlyPort === undefined || onlyPort === (port || (protocol === 'https:' ? '443' : '80')));
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function exceptions(env: Variables): readonly string[] {
  const names = (valueOf('no_proxy', env) ?? '').toLowerCase().split(/[\s,]+/);
  return names.filter((name) => name !== '');
}

/** Returns an address with a scheme, which many programs do not need; undefined for another protocol. */
function proxyOf(name: 'http_proxy' | 'https_proxy', env: Variables): string | undefined {
  return addressOf(valueOf(name, env)) ?? addressOf(valueOf('all_proxy', env));
}

function addressOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return /^https?:/i.test(address) && URL.canParse(address) ? address : undefined;
}

/** Returns the names of variables that are set, and are not the address of an HTTP proxy. */
export function unusableProxies(env: Variables): readonly string[] {
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const unusable = names.filter((name) => valueOf(name, env) !== undefined && !addressOf(valueOf(name, env)));
  return unusable.map((name) => name.toUpperCase());
}

/** Returns the value of a variable in lower or upper case; an empty one in lower case switches it off. */
function valueOf(name: string, env: Variables): string | undefined {
  return (env[name] ?? env[name.toUpperCase()])?.trim() || undefined;
}
