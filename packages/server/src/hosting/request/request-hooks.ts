import { mergeHooks, type Hook, type HookConfig } from '@varve/agent/hooks';

/**
 * Returns the trusted hooks of files, and those of a client after them. A client may have read the hooks of files
 * before it sends them: each runs once. Undefined if there are neither.
 */
export function mergedHooks(files: HookConfig | undefined, sent: HookConfig | undefined): HookConfig | undefined {
  if (!files || !sent) return files ?? sent;
  const own = Object.entries(sent).map(([type, groups]) => {
    const known = new Set(
      (files[type as keyof HookConfig] ?? []).flatMap(({ matcher, hooks }) =>
        hooks.map((hook) => identityOf(matcher, hook)),
      ),
    );
    const left = groups.map(({ matcher, hooks }) => ({
      ...(matcher !== undefined && { matcher }),
      hooks: hooks.filter((hook) => !known.has(identityOf(matcher, hook))),
    }));
    return [type, left.filter(({ hooks }) => hooks.length > 0)] as const;
  });
  return mergeHooks(files, Object.fromEntries(own) as HookConfig);
}

/** Clients receive hooks without the digests and directories of their files. */
function identityOf(matcher = '*', hook: Hook): string {
  return JSON.stringify([matcher === '' ? '*' : matcher, hook.type === 'command' ? hook.command : hook.prompt]);
}
