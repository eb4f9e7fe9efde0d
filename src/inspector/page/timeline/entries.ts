import { signal } from '@preact/signals'
import { timelineKinds } from '../../../contract/values/timeline-kinds.ts'
import { type Answer, call, type RequestFailure } from '../data/api.ts'
import { onChanges, onResync } from '../data/changes.ts'
import { account } from '../data/session.ts'
import { composeEntries, type EntrySource, entrySources } from './compose-entries.ts'
import type { Entry } from './entry.ts'
import { mergeEntries, type TimelineFilter, timelinePath } from './search.ts'

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
  /** Whether only the newest rows of each list are shown. */
  readonly isComposed = signal(false)
  private next: string | null = null
  private filter: TimelineFilter | undefined
  private isFresh = false
  private isRefreshing = false
  /** The filter that the entries match: those of the filter before are shown until there is an answer. */
  private shownFilter: TimelineFilter | undefined
  /** Number of the last request, and of the newest one whose answer is shown. */
  private sent = 0
  private shown = 0

  /** Shows the entries of a filter until the returned function is called. */
  follow(filter: TimelineFilter): () => void {
    this.filter = filter
    this.reload()
    const stops = [
      onResync(this.reload),
      onChanges((changes) => {
        if (changes.some((it) => (timelineKinds as readonly string[]).includes(it.kind))) this.refresh()
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
    try {
      do {
        this.isFresh = true
        await this.read(null, firstPageSize, true)
      } while (!this.isFresh)
    } finally {
      this.isRefreshing = false
    }
  }

  /** Shows the newest rows of several lists, for platforms without a timeline of their own. */
  private async compose(filter: TimelineFilter): Promise<void> {
    const id = account.value
    if (id === undefined) return
    const wanted = entrySources.filter((it) => filter.kinds.length === 0 || filter.kinds.includes(it.kind))
    const answers = (await Promise.all(wanted.map((it) => readSource(it, id)))).flat()
    if (filter !== this.filter) return
    this.entries.value = composeEntries(answers, id, filter)
    this.next = null
    this.failure.value = undefined
    this.isComposed.value = true
  }

  private async read(before: string | null, limit: number, isUpdate = false): Promise<void> {
    const { filter } = this
    if (!filter) return
    if (!isUpdate) this.isLoading.value = true
    const number = ++this.sent
    let continues = false
    try {
      const { body, command }: Answer<Page> = await call({ path: timelinePath(filter, before, limit) })
      if (filter !== this.filter) return
      const isOutdated = before === null ? number < this.shown : before !== this.next
      if (isOutdated) return
      if (before === null) this.shown = number
      const known = this.entries.value
      if (isUpdate && this.shownFilter === filter) {
        // A whole page of new entries may hide more between it and the known ones: start again with the newest.
        const overlaps = known.length === 0 || body.data.some((it) => it.id === known[0]?.id)
        this.entries.value = overlaps ? mergeEntries(known, body.data) : body.data
        if (!overlaps || known.length === 0) this.next = body.next
      } else {
        this.entries.value = before === null ? body.data : append(known, body.data)
        this.next = body.next
      }
      this.shownFilter = filter
      this.command.value = command
      this.failure.value = undefined
      // A search ends its page where it has examined many entries without filling it.
      continues = !isUpdate && body.data.length < limit
    } catch (error) {
      if ((error as RequestFailure).status === 404) await this.compose(filter)
      else if (filter === this.filter) this.failure.value = error as RequestFailure
    } finally {
      if (!isUpdate && filter === this.filter) this.isLoading.value = false
    }
    if (continues) this.loadMore()
  }
}

async function readSource(source: EntrySource, id: number) {
  try {
    return [{ source, body: (await call({ path: source.path(id), account: id })).body }]
  } catch {
    // A platform that has no such list, such as a remote one.
    return []
  }
}

function append(known: readonly Entry[], older: readonly Entry[]): readonly Entry[] {
  const ids = new Set(known.map((it) => it.id))
  return [...known, ...older.filter((it) => !ids.has(it.id))]
}
