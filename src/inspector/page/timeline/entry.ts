/** Entry of the timeline. */
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
