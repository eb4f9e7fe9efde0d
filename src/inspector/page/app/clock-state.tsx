import { computed, signal } from '@preact/signals'
import { call } from '../data/api.ts'
import { onChanges, onResync } from '../data/changes.ts'
import { session } from '../data/session.ts'
import { clockTime, dateTime, dayOf, relativeTime } from '../data/values.ts'
import { routePath } from './routes.ts'

/**
 * State of the platform's clock as the server reports it, a part of `clock.show` (contract/control/clock.ts). `now` is valid at the
 * time of the answer.
 */
export interface PlatformClock {
  readonly now: string
  readonly frozen: boolean
  readonly offset_seconds: number
}

/** The clock of the local platform; null if it is not known. */
export const platformClock = signal<PlatformClock | null>(null)
const tick = signal(Date.now())

/** The time of the platform in milliseconds. */
export const platformNow = computed(() => {
  const clock = platformClock.value
  if (!clock) return tick.value
  return clock.frozen ? Date.parse(clock.now) : tick.value + clock.offset_seconds * 1000
})

let loads = 0

async function load(): Promise<void> {
  const number = ++loads
  try {
    const { body } = await call<PlatformClock>({ path: '/control/clock' })
    // A later request has the newer clock.
    if (number === loads) platformClock.value = body
  } catch {
    // The connection state says that the server is away.
  }
}

/** Reads the clock of a local platform now and whenever it changes. */
export function followClock(): void {
  setInterval(() => {
    tick.value = Date.now()
  }, 1000)
  if (session.value?.mode !== 'local') return
  load()
  onResync(load)
  onChanges((changes) => {
    if (changes.some((it) => it.kind === 'clock')) load()
  })
}

/** Returns an offset as text: `+3 d 2 h`. */
export function offsetText(seconds: number): string {
  const size = Math.abs(Math.round(seconds))
  if (size < 1) return ''
  const parts = [
    [Math.floor(size / 86_400), 'd'],
    [Math.floor((size % 86_400) / 3600), 'h'],
    [Math.floor((size % 3600) / 60), 'min'],
    [size % 60, 's'],
  ] as const
  const shown = parts.filter(([n]) => n > 0).slice(0, 2)
  return `${seconds < 0 ? '−' : '+'}${shown.map(([n, unit]) => `${n} ${unit}`).join(' ')}`
}

/** A time in a list: how long ago or until then within a week, otherwise the time. The title has the exact time. */
export function When({ at }: { at: string | null | undefined }) {
  if (!at) return null
  const distance = Math.abs(Date.parse(at) - platformNow.value)
  const exact = dateTime(at)
  return (
    <time dateTime={at} title={exact}>
      {distance < 7 * 86_400_000 ? relativeTime(at, platformNow.value) : exact}
    </time>
  )
}

/** Time of the platform in the header. It leads to the clock. */
export function ClockState() {
  const clock = platformClock.value
  if (!clock) return null
  const now = new Date(platformNow.value).toISOString()
  return (
    <a
      class={`clock-chip ${clock.frozen ? 'frozen' : ''}`}
      href={routePath('clock')}
      title={`Time of the platform: ${dateTime(now)}`}
    >
      <span class="wide-only">{dayOf(now)} </span>
      <b>{clockTime(now)}</b>
      {clock.frozen && <span class="tag">frozen</span>}
      {!clock.frozen && offsetText(clock.offset_seconds) && <span class="tag">{offsetText(clock.offset_seconds)}</span>}
    </a>
  )
}
