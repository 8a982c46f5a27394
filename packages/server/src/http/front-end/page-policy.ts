/** Files of the editor that shows changes, which the front end loads when it is opened. */
const editor = 'https://cdn.jsdelivr.net/npm/monaco-editor@0.55.1/';

/**
 * Returns the Content-Security-Policy of the page. It sends requests to this server and to other servers of this
 * machine, and loads nothing from elsewhere except the editor of changes: fonts, icons, updates and statistics are
 * blocked.
 *
 * @param nonce - of the scripts in the page
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' blob: ${editor}`,
    `style-src 'self' 'unsafe-inline' ${editor}`,
    `font-src 'self' data: ${editor}`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "connect-src 'self' data: blob: http://localhost:* http://127.0.0.1:* ws://localhost:* ws://127.0.0.1:*",
    "worker-src 'self' blob:",
    "frame-src 'self' blob: http://localhost:* http://127.0.0.1:*",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
