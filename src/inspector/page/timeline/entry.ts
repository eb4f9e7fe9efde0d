/**
 * Entry of the timeline. A copy of `TimelineEntry` (contract/control/inspector.ts); compose-entries.ts makes it where a
 * platform has no timeline.
 */
export interface Entry {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly account: number | null
  readonly status: string | null
  readonly title: string
  readonly text: string
  readonly subject: { readonly noun: string; readonly id: string | number } | null
}
