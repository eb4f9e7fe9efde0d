import { useSignal } from '@preact/signals'
import { offsetText, type PlatformClock, platformClock, platformNow } from '../app/clock-state.tsx'
import { conversationPath, phoneIn, resourcePath, routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { dateTime, relativeTime, sentenceCase } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { Searchable } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { type DueJob, placeStops, type Stop } from './scrubber.ts'

/** What changes of the clock answer: the clock, and the jobs that ran (contract/control/clock.ts). */
interface ClockAnswer extends PlatformClock {
  readonly done: readonly Pick<DueJob, 'kind' | 'subject' | 'text' | 'due_at'>[]
}

/** Nouns of the resources that jobs are about, by kind of job: the constants `…JobKind` of the platform, which a test compares. */
const jobNouns: Readonly<Record<string, string>> = {
  call: 'call',
  delivery: 'delivery',
  release: 'number',
  'campaign.turn': 'campaign',
  'campaign.hours': 'campaign',
  'campaign.removal': 'campaign',
  'automation.schedule': 'automation',
  'automation.poll': 'automation',
  'automation.run': 'run',
}

/** What a job does, with a link to its resource. */
function JobText({ job }: { job: Pick<DueJob, 'kind' | 'subject' | 'text'> }) {
  const noun = jobNouns[job.kind]
  const phone = phoneIn(job.text)
  // Jobs of conversations and subscriptions have other ids than lists, and name what lists show.
  const to =
    (noun === undefined ? null : resourcePath(noun, job.subject)) ??
    conversationPath(job.text) ??
    (phone === undefined ? null : routePath('numbers', [], { find: phone }))
  const text = sentenceCase(job.text)
  return to ? <a href={to}>{text}</a> : <span>{text}</span>
}

const steps = ['1m', '1h', '1d', '1w', '31d']

/** Time as a slider over what is due: choose a stop, see the jobs until there, and advance to it. */
function Scrubber({ jobs, go }: { jobs: readonly DueJob[]; go: (path: string, body: object, label: string) => void }) {
  const chosen = useSignal(1)
  const stops = placeStops(jobs)
  const at = Math.min(chosen.value, stops.length)
  const stop: Stop | undefined = stops[at - 1]
  const isDue = stop !== undefined && Date.parse(stop.at) <= platformNow.value
  const passed = stops.slice(0, at).flatMap((it) => it.jobs)
  return (
    <>
      <div class="scrubber">
        <svg viewBox="0 0 1000 34" preserveAspectRatio="none" aria-hidden="true">
          <line x1="0" y1="28" x2="1000" y2="28" class="track" />
          {stop && <line x1="0" y1="28" x2={stop.position * 1000} y2="28" class="track passed" />}
          {stops.map((stop, index) => {
            const height = Math.min(24, 6 + stop.jobs.length * 4)
            return (
              <rect
                key={stop.at}
                class={`mark ${index < at ? 'passed' : ''}`}
                x={Math.min(994, Math.max(0, stop.position * 1000 - 3))}
                y={28 - height}
                width="6"
                height={height}
              />
            )
          })}
        </svg>
        <input
          type="range"
          min="0"
          max={stops.length}
          step="1"
          value={at}
          aria-label="Point in time"
          aria-valuetext={stop ? `${dateTime(stop.at)}, ${passed.length} jobs` : 'now'}
          onInput={(event) => {
            chosen.value = Number(event.currentTarget.value)
          }}
        />
        <div class="scrubber-ends">
          <span>now</span>
          <span>{stops.at(-1) && relativeTime(stops.at(-1)?.at ?? '', platformNow.value)}</span>
        </div>
      </div>
      {stop ? (
        <>
          <p>
            <b>{dateTime(stop.at)}</b> <span class="muted">({relativeTime(stop.at, platformNow.value)})</span>: runs{' '}
            {passed.length === 1 ? '1 job' : `${passed.length} jobs`}
          </p>
          {!isReadOnly.value && (
            <p>
              <button
                type="button"
                class="primary"
                onClick={() =>
                  isDue
                    ? go('drain', {}, 'Run the jobs that are due')
                    : go('until', { what: stop.at }, `Advance to ${dateTime(stop.at)}`)
                }
              >
                {isDue ? 'Run the jobs that are due' : 'Advance to this point'}
              </button>
            </p>
          )}
        </>
      ) : (
        <p class="muted">Move the slider to see which jobs run until a point in time.</p>
      )}
      <Searchable
        label="Scheduled jobs"
        rows={stops.flatMap((it, index) => it.jobs.map((job) => ({ job, at: it.at, isPassed: index < at })))}
        textOf={(it) => dateTime(it.at)}
      >
        {(found) => (
          <ol class="rows due">
            {found.map(({ row: { job, at: dueAt, isPassed }, index }) => (
              <li key={`${dueAt} ${job.kind} ${job.subject} ${String(index)}`} class={isPassed ? 'passed' : ''}>
                <span class="muted">{dateTime(dueAt)}</span>
                <span class="muted">{relativeTime(dueAt, platformNow.value)}</span>
                <b class="grow" dir="auto" title={`${job.kind} ${job.subject}`}>
                  <JobText job={job} />
                </b>
                {job.attempts > 0 && <span class="tag">attempt {job.attempts + 1}</span>}
              </li>
            ))}
          </ol>
        )}
      </Searchable>
    </>
  )
}

/** The clock of the platform: what is due, and how to move time. */
export function ClockPage() {
  const due = useResource<{ data: readonly DueJob[] }>('/control/due?limit=200', ['clock', 'delivery', 'run', 'ledger'])
  const done = useSignal<ClockAnswer['done'] | null>(null)
  const custom = useSignal('12h')
  const clock = platformClock.value
  const next = due.answer?.body.data[0]
  const go = async (verb: string, body: object, label: string): Promise<void> => {
    if (verb === 'drain') {
      if (await act({ method: 'POST', path: '/control/drain', label })) due.reload()
      return
    }
    const answer = await act<ClockAnswer>({
      method: 'POST',
      path: `/control/clock/${verb}`,
      body,
      label,
      done: (answer) => {
        const { now, done: jobs } = answer.body as ClockAnswer
        return `The clock is at ${dateTime(now)}. ${jobs.length === 1 ? '1 job ran' : `${jobs.length} jobs ran`}.`
      },
    })
    if (!answer) return
    platformClock.value = answer.body
    done.value = verb === 'advance' || verb === 'until' ? answer.body.done : null
    due.reload()
  }
  return (
    <>
      <PageHead title="Clock" note="The time of the local platform. Jobs run when they are due." />
      <Section
        title={dateTime(new Date(platformNow.value).toISOString())}
        aside={
          !isReadOnly.value && (
            <div class="actions">
              {clock?.frozen ? null : (
                <button type="button" onClick={() => go('freeze', {}, 'Freeze')}>
                  Freeze
                </button>
              )}
              {clock && (clock.frozen || Math.abs(clock.offset_seconds) >= 1) && (
                <button type="button" onClick={() => go('resume', {}, 'Resume real time')}>
                  Resume real time
                </button>
              )}
              {due.answer?.body.data.some((it) => it.kind === 'subscription') && (
                <button
                  type="button"
                  onClick={() => go('until', { what: 'subscription' }, 'Advance to the next charge')}
                >
                  Advance to the next charge
                </button>
              )}
              <button
                type="button"
                class="primary"
                onClick={() => go('until', { what: 'next' }, 'Advance to the next job')}
              >
                Advance to the next job
              </button>
            </div>
          )
        }
      >
        <Fields
          items={[
            ['Next job', next && `${sentenceCase(next.text)}, ${relativeTime(next.due_at, platformNow.value)}`],
            ['State', clock?.frozen ? 'frozen: scheduled jobs wait' : 'running'],
            ['Offset from real time', clock ? offsetText(clock.offset_seconds) || 'none' : null],
          ]}
        />
        {!isReadOnly.value && (
          <div class="chips">
            {steps.map((step) => (
              <button key={step} type="button" onClick={() => go('advance', { by: step }, `Advance ${step}`)}>
                +{step}
              </button>
            ))}
            <form
              class="inline-form"
              onSubmit={(event) => {
                event.preventDefault()
                go('advance', { by: custom.value.trim() }, `Advance ${custom.value}`)
              }}
            >
              <input
                aria-label="Duration to advance, such as 90s, 30m, 24h or 4w"
                size={6}
                value={custom.value}
                onInput={(event) => {
                  custom.value = event.currentTarget.value
                }}
              />
              <button type="submit">Advance</button>
            </form>
          </div>
        )}
      </Section>
      {done.value && (
        <Section title="What happened" aside={<a href={routePath('timeline')}>Open the timeline</a>}>
          {done.value.length === 0 ? (
            <p class="muted">No job was due.</p>
          ) : (
            <Searchable label="Jobs that ran" rows={done.value} find="ran" textOf={(it) => dateTime(it.due_at)}>
              {(found) => (
                <ol class="rows">
                  {found.map(({ row: job, index }) => (
                    <li key={index}>
                      <span class="muted">{dateTime(job.due_at)}</span>
                      <b class="grow" dir="auto" title={`${job.kind} ${job.subject}`}>
                        <JobText job={job} />
                      </b>
                    </li>
                  ))}
                </ol>
              )}
            </Searchable>
          )}
        </Section>
      )}
      <Section title="Scheduled jobs">
        {due.failure?.status === 404 && !due.answer ? (
          <Empty title="This platform does not list its scheduled jobs">
            "Advance to the next job" runs them one after the other.
          </Empty>
        ) : (
          <Loaded resource={due} what="Loading scheduled jobs">
            {({ body: { data }, command }) => (
              <>
                {data.length === 0 ? (
                  <Empty title="No scheduled jobs">Renewals, retries, delays and schedules appear here.</Empty>
                ) : (
                  <Scrubber jobs={data} go={go} />
                )}
                <CommandLine command={command} />
              </>
            )}
          </Loaded>
        )}
      </Section>
    </>
  )
}
