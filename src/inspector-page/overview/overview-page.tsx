import type { MoneyUnit } from '../../contract/values/money.ts'
import { platformClock, platformNow } from '../app/clock-state.tsx'
import { resourcePath, routePath } from '../app/routes.ts'
import { Runs } from '../automations/runs.tsx'
import { useResource } from '../data/resource.ts'
import { account, session } from '../data/session.ts'
import { amountText, dateTime, relativeTime, shownAt, words } from '../data/values.ts'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Bars, Sparkline } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'

interface Overview {
  readonly counts: Readonly<Record<string, { readonly total: number; readonly hourly: readonly number[] }>>
  readonly next_charges: readonly {
    readonly at: string
    readonly amount: number
    readonly text: string
    readonly subject: { readonly noun: string; readonly id: string | number } | null
  }[]
  readonly month: readonly {
    readonly kind: string
    readonly unit?: MoneyUnit
    readonly count: number
    readonly amount: number
  }[]
  readonly attention: readonly {
    readonly code: string
    readonly severity: string
    readonly text: string
    readonly command: string | null
  }[]
}

const filterOf: Readonly<Record<string, string>> = {
  requests: 'kind:request',
  messages: 'kind:message',
  calls: 'kind:call',
  runs: 'kind:run',
  deliveries: 'kind:delivery',
  failed: 'status:failed',
}

const changing = ['request', 'message', 'call', 'run', 'delivery', 'ledger', 'clock', 'number', 'automation', 'fault']

function Balance() {
  const resource = useResource<{ total_balance: number }>('/api/user/me', ['ledger'])
  if (!resource.answer) return null
  return (
    <div class="tile">
      <span class="tile-title">Balance</span>
      <b>{shownAt(resource.answer, '/total_balance')}</b>
      <a href={routePath('numbers')}>Numbers and billing</a>
    </div>
  )
}

function ClockTile() {
  const clock = platformClock.value
  if (!clock) return null
  return (
    <div class="tile">
      <span class="tile-title">Clock</span>
      <b>{dateTime(new Date(platformNow.value).toISOString())}</b>
      <a href={routePath('clock')}>
        {clock.frozen ? 'Frozen' : Math.abs(clock.offset_seconds) < 1 ? 'Real time' : 'Shifted'}: open the clock
      </a>
    </div>
  )
}

/** What every platform knows, for one that does not summarize its activity. */
const Basics = () => (
  <>
    <div class="tiles">
      <ClockTile />
      <Balance />
    </div>
    <Section title="Latest runs" aside={<a href={routePath('automations', ['runs'])}>All runs</a>}>
      <Runs />
    </Section>
    <Section title="Check for problems">
      <p>This command checks configuration, connection and resources for problems:</p>
      <CommandLine command="parley doctor" />
    </Section>
  </>
)

/** Health of the platform, what needs attention, and what the next days cost. */
export function OverviewPage() {
  const resource = useResource<Overview>(`/control/overview?account=${account.value}`, changing)
  return (
    <>
      <PageHead title="Overview" note={session.value?.platform} />
      {resource.failure?.status === 404 && !resource.answer ? (
        <Basics />
      ) : (
        <Loaded resource={resource}>
          {(answer) => {
            const { counts, next_charges, month, attention } = answer.body
            return (
              <>
                <Attention findings={attention} />
                <div class="tiles">
                  <ClockTile />
                  <Balance />
                  {Object.entries(counts).map(([name, { total, hourly }]) => (
                    <a
                      key={name}
                      class={`tile ${name === 'failed' && total > 0 ? 'bad' : ''}`}
                      href={routePath('timeline', [], { search: filterOf[name] ?? '' })}
                    >
                      <span class="tile-title">{words(name)}</span>
                      <b>{total.toLocaleString('en-US')}</b>
                      <Sparkline values={hourly} tone={name === 'failed' ? 'bad' : 'plain'} />
                      <span class="muted">last 24 hours</span>
                    </a>
                  ))}
                </div>
                <div class="columns">
                  <Section
                    title="Next charges"
                    aside={next_charges.length > 0 && <a href={routePath('clock')}>Advance the clock to the next</a>}
                  >
                    {next_charges.length === 0 ? (
                      <Empty title="No charges are scheduled">Numbers with a subscription renew every month.</Empty>
                    ) : (
                      <ul class="rows">
                        {next_charges.map((it, at) => {
                          const to = it.subject && resourcePath(it.subject.noun, it.subject.id)
                          return (
                            <li key={`${it.at} ${it.text}`}>
                              <span class="grow" dir="auto">
                                {to ? <a href={to}>{it.text}</a> : it.text}
                              </span>
                              <span class="muted" title={shownAt(answer, `/next_charges/${at}/at`)}>
                                {relativeTime(it.at, platformNow.value)}
                              </span>
                              <b class="number">{amountText(shownAt(answer, `/next_charges/${at}/amount`), 'usd')}</b>
                            </li>
                          )
                        })}
                      </ul>
                    )}
                  </Section>
                  <Section title="This month by kind">
                    {month.length === 0 ? (
                      <Empty title="Nothing was charged this month" />
                    ) : (
                      <Bars
                        label="This month by kind"
                        items={month.map((it, at) => ({
                          label: `${words(it.kind)} (${it.count})`,
                          value: Math.abs(it.amount),
                          text: amountText(shownAt(answer, `/month/${at}/amount`), it.unit ?? 'usd'),
                        }))}
                      />
                    )}
                  </Section>
                </div>
                <CommandLine command={answer.command} />
              </>
            )
          }}
        </Loaded>
      )}
    </>
  )
}

function Attention({ findings }: { findings: Overview['attention'] }) {
  if (findings.length === 0) return <p class="notice good">No problems found.</p>
  return (
    <Section title="Needs attention">
      <ul class="findings">
        {findings.map((it) => (
          <li key={`${it.code} ${it.text}`} class={it.severity}>
            <span class="finding-text" dir="auto">
              <b>{words(it.severity)}</b> {it.text}
            </span>
            {it.command?.startsWith('parley ') ? (
              <CommandLine command={it.command} />
            ) : (
              <p class="muted">{it.command}</p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
