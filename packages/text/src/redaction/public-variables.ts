/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Names of variables that programs need and that contain no credentials, by subject. */
const publicNames = [
  // The session.
  'PATH HOME USER LOGNAME SHELL PWD TERM COLORTERM TERM_PROGRAM TZ LANG LANGUAGE TMPDIR TMP TEMP HOSTNAME DISPLAY',
  'WAYLAND_DISPLAY EDITOR VISUAL PAGER LESS LESSCHARSET LESSHISTFILE MANPATH INFOPATH NO_COLOR FORCE_COLOR CLICOLOR CI',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_CONFIG_DIRS XDG_DATA_DIRS WSL_DISTRO_NAME',
  'LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC',
  'LC_PAPER LC_TELEPHONE LC_TIME',
  // The network. The agents of SSH and GPG sign for any program of this user, so hiding their addresses protects
  // nothing.
  'HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy ftp_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT SSH_AUTH_SOCK',
  'GNUPGHOME GPG_TTY GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_EDITOR GIT_SSH',
  // JavaScript.
  'NODE_ENV NODE_PATH NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME PNPM_HOME',
  'COREPACK_HOME BUN_INSTALL DENO_DIR DENO_INSTALL npm_config_registry npm_config_cache npm_config_prefix',
  // Python and Ruby.
  'VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYTHONPATH PYTHONHOME PYENV_ROOT PYENV_VERSION POETRY_HOME PIPX_HOME',
  'PIP_INDEX_URL PIP_CACHE_DIR UV_INDEX_URL UV_CACHE_DIR GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RBENV_VERSION RUBYLIB',
  // Java, Go, Rust, .NET and PHP.
  'JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR KOTLIN_HOME',
  'GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOPRIVATE GOTOOLCHAIN CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN',
  'CARGO_TARGET_DIR RUSTFLAGS DOTNET_ROOT NUGET_PACKAGES COMPOSER_HOME',
  // C, and package managers of systems.
  'CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS CPATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH',
  'PKG_CONFIG_PATH CMAKE_PREFIX_PATH NIX_PATH NIX_PROFILES HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY ASDF_DIR',
  'ASDF_DATA_DIR MISE_DATA_DIR DOCKER_HOST DOCKER_CONTEXT KUBECONFIG',
].flatMap((line) => line.split(' '));

const allowed = new Set(publicNames);

/**
 * Returns the variables that programs need and that contain no credentials: an allow-list, because keys have any name.
 * User names and passwords in the URLs of their values are removed.
 */
export function publicVariables(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && allowed.has(name) ? [[name, withoutUserInfo(value)]] : [],
    ),
  );
}

/** Removes user names and passwords from the URLs of a text; a proxy may be written without a scheme. */
function withoutUserInfo(value: string): string {
  return value.replaceAll(/(\w:\/\/)[^\s/]*@/g, '$1').replace(/^[^\s/@:]+:[^\s/@]*@(?=[\w.-]+:\d+$)/, '');
}
