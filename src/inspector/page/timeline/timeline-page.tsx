import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { toneOf } from '../../../contract/values/states.ts'
import { timelineKinds } from '../../../contract/values/timeline-kinds.ts'
import { navigate, route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { session } from '../data/session.ts'
import { clockTime, dayOf, zoneOf } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead } from '../parts/fields.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { Timeline } from './entries.ts'
import type { Entry } from './entry.ts'
import { EntryDetail } from './entry-detail.tsx'
import { formatSearch, parseSearch } from './search.ts'

const timeline = new Timeline()
const selected = signal(-1)

function setSearch(search: string): void {
  navigate(routePath('timeline', route.value.parts, { search }), { replace: true })
}

function open(entry: Entry | undefined): void {
  navigate(routePath('timeline', entry ? [entry.id] : [], route.value.query), { replace: true })
}

/** The search field with the filters. The filters are part of the search text, so that an address holds all of it. */
function Filters({ search }: { search: string }) {
  const typed = useSignal(search)
  useEffect(() => {
    typed.value = search
  }, [search])
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.value), 150)
    return () => clearTimeout(timer)
  }, [typed.value])
  // As typed: the address follows a moment later.
  const filter = parseSearch(typed.value)
  const toggle = (kind: string): void => {
    const kinds = filter.kinds.includes(kind) ? filter.kinds.filter((it) => it !== kind) : [...filter.kinds, kind]
    setSearch(formatSearch({ ...filter, kinds }))
  }
  return (
    <div class="filters">
      <input
        type="search"
        aria-label="Search the timeline"
        placeholder="Search, for example status:failed +1415"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
          if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault()
            document.querySelector<HTMLElement>('.virtual')?.focus()
            if (selected.value < 0) selected.value = 0
          }
        }}
      />
      <fieldset class="chips">
        <legend class="hidden">Kinds</legend>
        {timelineKinds.map((kind) => (
          <button key={kind} type="button" aria-pressed={filter.kinds.includes(kind)} onClick={() => toggle(kind)}>
            {kind}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={filter.status === 'failed'}
          onClick={() => setSearch(formatSearch({ ...filter, status: filter.status === 'failed' ? '' : 'failed' }))}
        >
          failed
        </button>
      </fieldset>
      {(session.value?.accounts.length ?? 0) > 1 && (
        <select
          aria-label="Account of the entries"
          value={filter.account}
          onChange={(event) => setSearch(formatSearch({ ...filter, account: event.currentTarget.value }))}
        >
          <option value="">All accounts</option>
          {session.value?.accounts.map((account) => (
            <option key={account.id} value={account.id}>
              {account.name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** Requests without the part of the path that all have, so that a phone shows what differs. */
const shortTitle = ({ kind, title }: Entry): string =>
  kind === 'request' ? title.replace(/ \/(?:automate\/)?api\/(?:user\/)?/, ' …/') : title

/** Whether an entry changed nothing: successful reads are many, and stay in the background. */
const isQuiet = ({ kind, title, status }: Entry): boolean =>
  kind === 'request' && title.startsWith('GET ') && toneOf(status ?? '') === 'good'

const Row = ({ entry, showsDay }: { entry: Entry; showsDay: boolean }) => (
  <>
    <time dateTime={entry.at}>
      {showsDay && <span class="day">{dayOf(entry.at).slice(5)} </span>}
      {clockTime(entry.at)}
    </time>
    <span class={`kind ${entry.kind}`}>{entry.kind}</span>
    <span class={`entry-text ${isQuiet(entry) ? 'muted' : ''}`}>
      <b dir="auto">{shortTitle(entry)}</b> <span dir="auto">{entry.text}</span>
    </span>
    <Badge status={entry.status} />
  </>
)

/** Everything that happened, newest first, with the details of one entry beside the list. */
export function TimelinePage() {
  const search = route.value.query.search ?? ''
  const openId = route.value.parts[0]
  useEffect(() => {
    selected.value = -1
    return timeline.follow(parseSearch(search))
  }, [search])
  const entries = timeline.entries.value
  const entry = entries.find((it) => it.id === openId)
  const today = entries[0] ? dayOf(entries[0].at) : ''

  // New entries move the others down: the selection stays on its entry.
  const selectedId = useSignal('')
  useEffect(() => {
    if (!selectedId.value) return
    const at = entries.findIndex((it) => it.id === selectedId.value)
    if (at !== selected.value) selected.value = at
  }, [entries])
  const select = (index: number): void => {
    selected.value = index
    selectedId.value = entries[index]?.id ?? ''
  }

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog[open]')) return
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const last = timeline.entries.value.length - 1
      if (event.key === 'j') select(Math.min(last, selected.value + 1))
      else if (event.key === 'k') select(Math.max(0, selected.value - 1))
      else if (event.key === 'Enter' && selected.value >= 0 && !target.closest('a, button, .virtual'))
        open(timeline.entries.value[selected.value])
      else if (event.key === 'Escape') open(undefined)
      else return
      if (event.key === 'Escape') document.querySelector<HTMLElement>('.virtual')?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [entries])

  return (
    <div class="fill">
      <PageHead
        title="Timeline"
        note={
          timeline.isComposed.value ? (
            `The newest entries of each kind. Times of the platform in UTC${zoneOf(new Date())}.`
          ) : (
            <span>
              Times of the platform in UTC{zoneOf(new Date())}.{' '}
              {timeline.command.value && <CommandLine command={timeline.command.value} />}
            </span>
          )
        }
      />
      <Filters search={search} />
      <div class={`split ${openId ? 'with-detail' : ''}`}>
        <div class="list-pane">
          {timeline.failure.value && entries.length === 0 ? (
            <Failed failure={timeline.failure.value} retry={timeline.reload} />
          ) : entries.length === 0 && timeline.isLoading.value ? (
            <Loading what="Loading the timeline" />
          ) : entries.length === 0 ? (
            search ? (
              <Empty title="No entry matches the search">
                <button type="button" onClick={() => setSearch('')}>
                  Clear the search
                </button>
              </Empty>
            ) : (
              <Empty title="Nothing has happened yet" command="parley numbers list">
                Requests, events, deliveries, runs, messages, calls and charges appear here. Try a first request:
              </Empty>
            )
          ) : (
            <VirtualList
              label="Timeline, newest first"
              rows={entries}
              rowHeight={36}
              keyOf={(it) => it.id}
              row={(it) => <Row entry={it} showsDay={dayOf(it.at) !== today} />}
              selected={selected.value}
              onSelect={select}
              onOpen={(at) => open(entries[at])}
              onNearEnd={timeline.loadMore}
            />
          )}
        </div>
        {openId && (
          <section class="detail-pane" aria-label="Details">
            <button type="button" class="quiet close" onClick={() => open(undefined)}>
              Close
            </button>
            {entry ? (
              <EntryDetail entry={entry} />
            ) : (
              <Empty title="This entry is not in the loaded list">
                It is older than the loaded entries, or does not match the search. Scroll down the list, or clear the
                search.
              </Empty>
            )}
          </section>
        )}
      </div>
    </div>
  )
}
