const iso =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/** Time as written in ISO 8601. */
export interface IsoTime {
  /** `2026-11-20T23:39:20` */
  readonly wall: string;
  /** Fraction of the second as 6 digits. */
  readonly micros: string;
  /** Offset from UTC; undefined for text without a zone, which is local time. */
  readonly offsetMs: number | undefined;
}

/** Parses a time in ISO 8601; undefined for other text and for dates that do not exist. */
export function parseIsoTime(text: string): IsoTime | undefined {
  const { day, minute = '00:00', second = '00', fraction = '', zone } = iso.exec(text)?.groups ?? {};
  if (day === undefined) return undefined;
  const wall = `${day}T${minute}:${second}`;
  const asIfUtc = Date.parse(`${wall}Z`);
  // Parsing may take the 31st of a short month for the next month's 1st.
  if (Number.isNaN(asIfUtc) || isoSeconds(asIfUtc) !== wall) return undefined;
  const micros = fraction.padEnd(6, '0').slice(0, 6);
  return { wall, micros, offsetMs: zone === undefined ? undefined : offsetOf(zone) };
}

/** Returns the instant in UTC microseconds. */
export function utcMicros({ wall, micros, offsetMs }: IsoTime): number {
  const utcMs = offsetMs === undefined ? Date.parse(wall) : Date.parse(`${wall}Z`) - offsetMs;
  return utcMs * 1000 + Number(micros);
}

/** Returns UTC milliseconds as `2026-11-20T23:39:20`. */
export function isoSeconds(utcMs: number): string {
  return new Date(utcMs).toISOString().slice(0, 19);
}

function offsetOf(zone: string): number {
  if (/z/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
