/**
 * A change of a resource of a local platform. The page of the inspector has a copy (page/data/changes.ts), and loads
 * again by `kind`.
 */
export interface Change {
  /** Cursor behind it. */
  readonly cursor: string
  readonly kind: string
  readonly id: string
  readonly account: number | null
  readonly at: string
  readonly status: string | null
}

/** Reports what changed. It reads nothing between two calls. */
export interface ChangeFeed {
  /** Returns the cursor of the present. */
  now(): Promise<string>
  /** Returns the changes after a cursor, oldest first. `isGap` is whether there may have been more. */
  since(
    cursor: string,
  ): Promise<{ readonly changes: readonly Change[]; readonly cursor: string; readonly isGap: boolean }>
}
