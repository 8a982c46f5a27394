/** Name of the key in the storage of the browser, which belongs to one origin: address and port. */
const item = 'varve.session-key';

/**
 * Script of the page that signs in, refuses statistics of use, and hides the list of first steps, some of which this
 * server does not have, until the person shows it. The key arrives in the fragment of the address,
 * which browsers do not send: it is never in a request, a log or the page itself, and no other server of the machine
 * receives it, as it would a cookie.
 *
 * @see agent-canvas 1.20.0, scripts/static-server.mjs, for the names of the variables
 */
export const signInScript = `(() => {
  window.__AGENT_CANVAS_DO_NOT_TRACK__ = true;
  localStorage.setItem('openhands-telemetry-consent', 'denied');
  const steps = 'openhands-sidebar-onboarding-checklist-dismissed';
  if (localStorage.getItem(steps) === null) localStorage.setItem(steps, 'true');
  const sent = /^#key=(.+)$/.exec(location.hash);
  if (sent) {
    localStorage.setItem('${item}', decodeURIComponent(sent[1]));
    history.replaceState(null, '', location.pathname + location.search);
  }
  const key = localStorage.getItem('${item}');
  const name = 'openhands-agent-server-config';
  if (key) {
    window.__AGENT_CANVAS_SESSION_API_KEY__ = key;
    const stored = JSON.parse(localStorage.getItem(name) ?? '{}');
    localStorage.setItem(name, JSON.stringify({ ...stored, sessionApiKey: key }));
  }
})();`;

/** Script of the page of a person who has chosen a model: the questions of a first visit were answered. */
export const onboardedScript = `localStorage.setItem('openhands-onboarded', '1');`;

/** Style of the page that hides links to automations, which this server does not have. */
export const absentStyle = '<style>a[href="/automations"],a[href^="/automations/"]{display:none!important}</style>';

/** Returns the address that opens the page signed in. */
export function signInAddress(url: string, key: string): string {
  return `${url}/#key=${encodeURIComponent(key)}`;
}
