import { signal } from '@preact/signals'
import { type Answer, call, type RequestFailure } from '../data/api.ts'
import { onChanges, onResync } from '../data/changes.ts'
import { entryKinds, mergeEntries, type TimelineFilter, timelinePath } from './search.ts'

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

interface Page {
  readonly data: readonly Entry[]
  readonly next: string | null
}

const pageSize = 200
const firstPageSize = 100

/** The entries that match a filter, newest first: new ones are added live, and older ones while scrolling. */
export class Timeline {
  readonly entries = signal<readonly Entry[]>([])
  readonly isLoading = signal(false)
  readonly failure = signal<RequestFailure | undefined>(undefined)
  readonly command = signal<string | null>(null)
  private next: string | null = null
  private filter: TimelineFilter | undefined
  private isFresh = false
  private isRefreshing = false

  /** Shows the entries of a filter until the returned function is called. */
  follow(filter: TimelineFilter): () => void {
    this.filter = filter
    this.reload()
    const stops = [
      onResync(this.reload),
      onChanges((changes) => {
        if (changes.some((it) => (entryKinds as readonly string[]).includes(it.kind))) this.refresh()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Loads the newest entries. */
  readonly reload = (): void => void this.read(null, firstPageSize)

  /** Loads the next older entries. */
  readonly loadMore = (): void => {
    if (this.next !== null && !this.isLoading.value) this.read(this.next, pageSize)
  }

  private async refresh(): Promise<void> {
    if (this.isRefreshing) {
      this.isFresh = false
      return
    }
    this.isRefreshing = true
    do {
      this.isFresh = true
      await this.read(null, firstPageSize, true)
    } while (!this.isFresh)
    this.isRefreshing = false
  }

  private async read(before: string | null, limit: number, isUpdate = false): Promise<void> {
    const { filter } = this
    if (!filter) return
    if (!isUpdate) this.isLoading.value = true
    try {
      const { body, command }: Answer<Page> = await call({ path: timelinePath(filter, before, limit) })
      if (filter !== this.filter) return
      const known = this.entries.value
      if (isUpdate) {
        // A whole page of new entries may hide more between it and the known ones: start again with the newest.
        const overlaps = known.length === 0 || body.data.some((it) => it.id === known[0]?.id)
        this.entries.value = overlaps ? mergeEntries(known, body.data) : body.data
        if (!overlaps || known.length === 0) this.next = body.next
      } else {
        this.entries.value = before === null ? body.data : append(known, body.data)
        this.next = body.next
      }
      this.command.value = command
      this.failure.value = undefined
    } catch (error) {
      if (filter === this.filter) this.failure.value = error as RequestFailure
    } finally {
      if (!isUpdate && filter === this.filter) this.isLoading.value = false
    }
  }
}

function append(known: readonly Entry[], older: readonly Entry[]): readonly Entry[] {
  const ids = new Set(known.map((it) => it.id))
  return [...known, ...older.filter((it) => !ids.has(it.id))]
}
