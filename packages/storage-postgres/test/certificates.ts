import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Files of a certificate for 127.0.0.1. */
export interface Certificate {
  /** Certificate of the authority that signed it. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Creates an authority in a directory, and a certificate that it signs. */
export function createCertificate(directory: string): Certificate {
  const authority = join(directory, 'ca.crt');
  const authorityKey = join(directory, 'ca.key');
  const certificate = join(directory, 'tls.crt');
  const key = join(directory, 'tls.key');
  create('varve tests', ['-out', authority, '-keyout', authorityKey]);
  const signed = ['-CA', authority, '-CAkey', authorityKey, '-addext', 'basicConstraints=critical,CA:FALSE'];
  create('server', ['-out', certificate, '-keyout', key, ...signed, '-addext', 'subjectAltName=IP:127.0.0.1']);
  return { authority, certificate, key };
}

function create(subject: string, flags: readonly string[]): void {
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, '-subj', `/CN=${subject}`, ...flags], { stdio: 'pipe' });
}
