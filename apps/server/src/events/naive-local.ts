const iso =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * Returns an instant in the form of event timestamps, so that comparing texts compares times: local time without a
 * zone, and no fraction if it is zero. Text without a zone is local time. Undefined for text that is not ISO 8601.
 *
 * @see agent-server 1.43.1, the filters `timestamp__gte` and `timestamp__lt`
 */
export function naiveLocal(text: string): string | undefined {
  const { day, minute = '00:00', second = '00', fraction = '', zone } = iso.exec(text)?.groups ?? {};
  if (day === undefined) return undefined;
  const written = `${day}T${minute}:${second}`;
  const asIfUtc = Date.parse(`${written}Z`);
  // Parsing may take the 31st of a short month for the next month's 1st.
  if (Number.isNaN(asIfUtc) || seconds(asIfUtc) !== written) return undefined;
  const local = zone === undefined ? written : seconds(localOf(asIfUtc - offsetMs(zone)));
  const micros = fraction.padEnd(6, '0').slice(0, 6);
  return Number(micros) === 0 ? local : `${local}.${micros}`;
}

function seconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

function localOf(utcMs: number): number {
  return utcMs - new Date(utcMs).getTimezoneOffset() * 60_000;
}

function offsetMs(zone: string): number {
  if (/z/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
