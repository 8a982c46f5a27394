/** A text that the processes of a store share, and how often it was replaced. */
export interface SharedRecord {
  /** Undefined if there is none. */
  readonly text: string | undefined;
  /** 0 if there is none. */
  readonly version: number;
}

/** What processes of several machines share through a store, in addition to the conversations. */
export interface Replicas {
  /** Stores the address of this process, a URL, with the leases that it takes from now on. */
  announce(address: string): void;
  /**
   * Returns the address of the process that holds a conversation; undefined if no live process does, if it has no
   * address, and for a conversation that does not exist.
   */
  addressOf(id: string): Promise<string | undefined>;
  /**
   * Makes a conversation that this process has released an {@link abandoned} one, which another replica continues. One
   * that was abandoned before keeps its place, unless it `hasRun` since.
   */
  abandon(id: string, options?: { readonly hasRun?: boolean }): Promise<void>;
  /** Makes those an {@link abandoned} one that no process holds although their `meta` has a run or a goal. */
  abandonRunning(): Promise<void>;
  /**
   * Returns conversations whose holder ended without releasing them, as far as this process knows, or abandoned them:
   * those of replicas first, and of these those that were changed first before they were abandoned, at most 1000.
   */
  abandoned(): Promise<readonly string[]>;
  /** Ends the lease of an abandoned conversation, also for a holder that was only stopped. */
  release(id: string): Promise<void>;
  readonly records: {
    read(name: string): Promise<SharedRecord>;
    versionOf(name: string): Promise<number>;
    /** Returns the names from one on that are before another one, sorted by their bytes. */
    names(from: string, before: string): Promise<readonly string[]>;
    /** Adds or replaces a text. Returns false, and changes nothing, if its version is not the expected one. */
    write(name: string, text: string, expectedVersion?: number): Promise<boolean>;
    /**
     * Runs work while no other process runs work with this name. Work of a process that stops for ten seconds loses its
     * exclusion: the expected version shows that.
     *
     * @throws {StorageError} `io` after a wait of ten seconds.
     */
    exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
    /** Removes a text; does nothing without one. */
    remove(name: string): Promise<void>;
  };
}
