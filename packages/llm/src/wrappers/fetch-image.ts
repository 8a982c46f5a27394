import { lookup as systemLookup } from 'node:dns';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/** Options of {@link fetchImage}. */
export interface FetchImageOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Returns whether a connection to an IP address is allowed. */
  readonly isAllowed: (address: string) => boolean;
  /** Resolves a host name; that of the system by default. */
  readonly lookup?: typeof systemLookup;
}

/** A fetched image. */
export interface FetchedImage {
  readonly type: string;
  readonly bytes: Buffer;
}

const imageType = /^image\/(?:jpe?g|png|gif|webp|bmp|tiff)$/;
const maxRedirects = 5;

/**
 * Fetches the image at an address. The IP address is checked when the connection is opened, again for each redirect: a
 * name that resolves differently the second time is checked too.
 *
 * @throws {RangeError} when it is larger than `maxBytes`. @throws {Error} when it is unavailable or not allowed.
 */
export async function fetchImage(address: string, options: FetchImageOptions): Promise<FetchedImage> {
  let url = new URL(address);
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const answer = await requestImage(url, options);
    const { statusCode = 0, headers } = answer;
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return readImage(answer, options);
    answer.destroy();
    url = new URL(headers.location, url);
  }
  throw new Error(`There are more than ${maxRedirects} redirects.`);
}

async function requestImage(url: URL, { signal, isAllowed, lookup = systemLookup }: FetchImageOptions) {
  const get = { 'http:': httpGet, 'https:': httpsGet }[url.protocol];
  if (!get || url.username !== '' || url.password !== '') throw new Error('Only plain http addresses are fetched.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host)) throw forbiddenAddress(host);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const settings = { signal, agent: false, lookup: checkedLookup(lookup, isAllowed), headers: { accept: 'image/*' } };
  const request = get(url, settings, resolve).on('error', reject);
  // A response that upgrades the protocol closes the connection without an error.
  request.on('close', () => reject(new Error('The connection was closed without a response.')));
  return promise;
}

/** Wraps a lookup so that all addresses of a name must be allowed: the caller does not control which one is used. */
function checkedLookup(lookup: typeof systemLookup, isAllowed: FetchImageOptions['isAllowed']): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find((each) => !isAllowed(each.address));
      const [first] = addresses ?? [];
      if (error || refused || !first) callback(error ?? forbiddenAddress(hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function forbiddenAddress(host: string): Error {
  return new Error(`Connections to ${host} are not allowed.`);
}

async function readImage(answer: IncomingMessage, { maxBytes }: FetchImageOptions): Promise<FetchedImage> {
  const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  try {
    if (answer.statusCode !== 200) throw new Error(`The server answered ${answer.statusCode}.`);
    if (!imageType.test(type)) throw new Error(`The type "${type}" is not an image type that models accept.`);
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes) throw new RangeError(`The image has more than ${maxBytes} bytes.`);
      pieces.push(piece);
    }
    return { type, bytes: Buffer.concat(pieces) };
  } finally {
    answer.destroy();
  }
}
