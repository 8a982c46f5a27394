/** Result of a login with OAuth at a server. All of it is secret. */
export interface McpLogin {
  /** Server that authorizes, with its metadata. Tokens are refreshed there, whatever the server names later. */
  readonly authorization: {
    readonly authorizationServerUrl: string;
    readonly resourceMetadataUrl?: string | undefined;
  };
  /** Resource that the tokens are for. */
  readonly resource?: string | undefined;
  readonly client: { readonly client_id: string; readonly client_secret?: string | undefined };
  readonly tokens: {
    readonly access_token: string;
    readonly token_type: string;
    readonly refresh_token?: string | undefined;
    readonly id_token?: string | undefined;
    readonly scope?: string | undefined;
  };
  /** Rights (scopes) that a server has missed since, which the next login requests too. */
  readonly missingScope?: string | undefined;
}

/** Logins of a person by the URL of the server. */
export interface McpLogins {
  /** Returns the login at a server; undefined without one. */
  read(url: string): Promise<McpLogin | undefined>;
  /**
   * Replaces the login at a server by the result of `change`, removes it for undefined, and returns the result. No
   * other change, of another process either, is made concurrently.
   */
  change(
    url: string,
    change: (login: McpLogin | undefined) => Promise<McpLogin | undefined>,
  ): Promise<McpLogin | undefined>;
}

/** Options of `logInToMcp`. */
export interface LogInOptions {
  /** Address of this machine to which the browser is redirected. */
  readonly redirectUrl: string;
  /** Lets the person agree at an address, and returns the address to which the browser was redirected. */
  readonly authorize: (url: URL, state: string) => Promise<URL>;
  readonly signal: AbortSignal;
  /** Login that is replaced. Rights that were missing are requested in addition to its own. */
  readonly before?: McpLogin | undefined;
}
