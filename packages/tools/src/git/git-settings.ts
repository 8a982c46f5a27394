/** Lines of settings as git writes them; a line that is none of these is not read. */
const section = /^\[([a-z][\w.-]*)(?: "((?:[^"\\]|\\["\\])*)")?\]$/i;
const setting = /^[ \t]+([a-z][a-z\d-]*)(?:[ \t]*=(.*))?$/i;
const nothing = /^[ \t]*(?:[#;].*)?$/;
/** A control character, or a backslash at the end, by which a value continues. */
const unreadable = /[^\t\n\P{Cc}]|\\(?:\n|$)/u;

/** Maximum number of settings that are compared. */
const maxSettings = 2000;

/** Settings by which git executes nothing, with their values. */
const harmless: readonly RegExp[] = [
  /^user\.(?:name|email)=[^"\\#;]*$/,
  /^(?:pull\.rebase|push\.autosetupremote|branch\.[\w./-]+\.rebase)=(?:true|false)$/,
  /^init\.defaultbranch=[\w./-]+$/,
  /^branch\.[\w./-]+\.description=[^"\\#;]*$/,
];
/** The same that decide where code comes from and goes to: they may be added, and never be changed. */
const places: readonly RegExp[] = [
  /^remote\.\w[\w./-]*\.url=(?:(?:https|ssh):\/\/(?:\w[\w.-]*@)?\w[\w.-]*(?::\d+)?\/[\w./~+-]+|\w[\w.-]*@\w[\w.-]*:[\w~][\w./~+-]*)$/,
  /^remote\.(\w[\w./-]*)\.fetch=\+?refs\/heads\/([\w./-]*\*?):refs\/remotes\/\1\/\2$/,
  /^branch\.[\w./-]+\.remote=(?:\w[\w./-]*|\.)$/,
  /^branch\.[\w./-]+\.merge=refs\/heads\/[\w./-]+$/,
];

/**
 * Returns the names of the settings of a repository in which two texts differ, without those by which git executes
 * nothing. Reads both as data: what git would read differently is reported as `unreadable`.
 */
export function changedGitSettings(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, now] = [settingsOf(before), settingsOf(after)];
  if (old === undefined || now === undefined) return ['unreadable'];
  const keys = new Set(old.map(keyOf));
  const isHarmless = (line: string): boolean =>
    harmless.some((pattern) => pattern.test(line)) ||
    (!keys.has(keyOf(line)) && places.some((pattern) => pattern.test(line)));
  const kept = now.filter((line) => old.includes(line) || !isHarmless(line));
  const left = old.filter((line) => now.includes(line) || !harmless.some((pattern) => pattern.test(line)));
  if (kept.join('\n') === left.join('\n')) return [];
  const changed = [...kept.filter((line) => !left.includes(line)), ...left.filter((line) => !kept.includes(line))];
  return [...new Set((changed.length > 0 ? changed : kept).map(keyOf))];
}

/** Returns `key=value` of each setting, in order; undefined for a text that is not as git writes it. */
function settingsOf(text: string): readonly string[] | undefined {
  if (unreadable.test(text)) return undefined;
  const settings: string[] = [];
  let name: string | undefined;
  for (const line of text.split('\n')) {
    const [, opened, sub] = section.exec(line) ?? [];
    const [, key, value] = setting.exec(line) ?? [];
    if (opened !== undefined) name = opened.toLowerCase() + (sub === undefined ? '' : `.${sub}`);
    else if (key !== undefined && name !== undefined)
      settings.push(`${name}.${key.toLowerCase()}=${(value ?? 'true').trim()}`);
    else if (!nothing.test(line)) return undefined;
  }
  return settings.length > maxSettings ? undefined : settings;
}

function keyOf(line: string): string {
  return line.slice(0, line.indexOf('='));
}
