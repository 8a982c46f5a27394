import { join } from 'node:path';

/** Returns the names of a text, which commas separate. */
export function listed(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

/**
 * Credentials and private data below a home directory, which the default profile hides: of keys, clouds, code hosts,
 * registries, other services, histories, browsers and other agents, in groups.
 */
export const credentialPaths: readonly string[] = listed(`
  .ssh, .gnupg, .password-store, .local/share/keyrings, .local/share/kwalletd, Library/Keychains, .config/op,
  .config/1Password, .config/Bitwarden CLI, .config/gopass, .local/share/gopass, .config/sops, .config/age,
  .aws, .azure, .config/gcloud, .config/doctl, .config/hcloud, .kube, .docker, .config/containers, .terraform.d,
  .terraformrc, .vault-token, .config/heroku, .fly, .config/netlify, .local/share/com.vercel.cli, .pulumi, .oci, .railway, .supabase,
  .cloudflared, .config/ngrok, .config/argocd, .databrickscfg, .config/configstore, .config/stripe, .kaggle,
  .cache/huggingface/token, .cache/huggingface/stored_tokens, .dbt,
  .config/gh, .config/github-copilot, .config/glab-cli, .config/hub, .git-credentials, .config/git/credentials,
  .npmrc, .yarnrc.yml, .config/pip, .pip, .pypirc, .gem/credentials, .cargo/credentials, .cargo/credentials.toml,
  .m2/settings.xml, .m2/settings-security.xml, .gradle/gradle.properties, .composer/auth.json, .nuget/NuGet, .ivy2/.credentials, .sbt/.credentials, .bundle/config, .android/adbkey, .local/share/uv/credentials,
  .netrc, _netrc, .authinfo, .authinfo.gpg, .msmtprc, .pgpass, .my.cnf, .mongorc.js, .config/rclone, .s3cfg, .boto,
  .bash_history, .zsh_history, .zsh_sessions, .local/share/fish/fish_history, .python_history, .node_repl_history,
  .psql_history, .mysql_history, .sqlite_history, .rediscli_history, .lesshst, .viminfo,
  .irb_history, .local/share/atuin,
  .config/solana, .bitcoin, .ethereum, .electrum,
  .mozilla, .thunderbird, .var/app, .config/Signal, .config/Slack, .config/discord, .config/vivaldi, .config/opera, .config/google-chrome, .config/chromium, .config/BraveSoftware, .config/microsoft-edge,
  snap/firefox, snap/chromium, Library/Application Support/Google/Chrome, Library/Application Support/Firefox,
  Library/Safari, Library/Cookies,
  .claude.json, .claude/.credentials.json, .codex/auth.json, .gemini/oauth_creds.json, .local/share/opencode/auth.json, .openhands, .varve
`);

/** Keys of the system, which a process of its user root could read. */
export const systemCredentials: readonly string[] = listed(`
  /etc/shadow, /etc/shadow-, /etc/gshadow, /etc/gshadow-, /etc/ssh, /etc/ssl/private, /etc/kubernetes, /etc/wireguard, /etc/letsencrypt
`);

/** Caches of package managers below a home directory, without the directories from which programs are started. */
export const cachePaths: readonly string[] = listed(`
  .cache, .npm, .pnpm-store, .local/share/pnpm/store, .local/state/pnpm, .yarn/berry, .bun/install/cache,
  .cargo/registry, .cargo/git, .cargo/.package-cache, .cargo/.package-cache-mutate,
  .cargo/.global-cache, go/pkg, .gradle/caches, .gradle/daemon, .gradle/wrapper, .gradle/native, .gradle/workers, .gradle/notifications, .m2/repository, .nuget/packages,
  .composer/cache, .gem/specs, Library/Caches
`);

/** Directories below a home directory in which programs keep settings and data, also credentials. */
export const settingsPlaces: readonly string[] = ['.config', '.local/share', '.local/state'];

/** Directories that are created when they are missing: without them the most common programs fail. */
export const requiredDirectories: readonly string[] = [
  ...listed('.cache, .npm, .yarn, .yarn/berry, .local'),
  ...settingsPlaces,
];

/** Caches that are created when they are missing and a workspace has a file with such a name. */
export const cachesByFile: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:(?:build|settings)\.gradle(?:\.kts)?|gradlew)$/, cachePaths.filter((path) => path.startsWith('.gradle/'))],
  [/^pom\.xml$/, ['.m2/repository']],
  [/^Cargo\.toml$/, ['.cargo/registry', '.cargo/git']],
  [/^go\.mod$/, ['go/pkg']],
];

/** Names whose content agents and editors execute, and which could be created in a workspace. */
export const createdNames: readonly string[] = listed(`
  .varve, .agents, .openhands, .claude, .codex, .gemini, .cursor, .vscode, .idea, .zed, .mcp.json
`);
/** All names whose content is executed: the last ones by hooks of git, if they existed when these were installed. */
export const executedNames: readonly string[] = [...createdNames, '.husky', '.pre-commit-config.yaml'];

/** Startup files below a home directory, and directories of programs. */
export const startupFiles: readonly string[] = listed(`
  .bashrc, .bash_profile, .bash_login, .bash_logout, .profile, .zshrc, .zshenv, .zprofile, .zlogin, .config/fish,
  .bash_aliases, .xprofile, .vimrc, .tmux.conf, .config/nvim, .config/environment.d, .gitconfig, .config/git,
  .config/autostart, .config/systemd, Library/LaunchAgents, .local/bin, bin, .cargo/bin, go/bin
`);

/** Hosts of package registries and of public code, which the default profile allows. */
export const defaultHosts: readonly string[] = listed(`
  *.npmjs.org, *.yarnpkg.com, nodejs.org, jsr.io, npm.jsr.io, deno.land, pypi.org, files.pythonhosted.org,
  crates.io, index.crates.io, static.crates.io, static.rust-lang.org, proxy.golang.org, sum.golang.org, go.dev,
  rubygems.org, index.rubygems.org, repo.packagist.org, repo.maven.apache.org, repo1.maven.org, plugins.gradle.org,
  services.gradle.org, api.nuget.org, deb.debian.org, security.debian.org, archive.ubuntu.com, security.ubuntu.com,
  dl-cdn.alpinelinux.org, formulae.brew.sh, github.com, codeload.github.com, raw.githubusercontent.com,
  objects.githubusercontent.com, release-assets.githubusercontent.com, gitlab.com, bitbucket.org, codeberg.org
`);

/** Returns paths below a directory. Names are normalised: `join` would keep every one of its steps in memory. */
export function below(directory: string, names: readonly string[]): readonly string[] {
  const start = join(directory, '/');
  return names.map((name) => start + name);
}

/** Returns true if a path is a directory or is below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
