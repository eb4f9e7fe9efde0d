import { amountText as formattedAmount, type MoneyUnit } from '../../../contract/values/money.ts'
import { platformClock, platformNow, When } from '../app/clock-state.tsx'
import { resourcePath, routePath } from '../app/routes.ts'
import { FailingAutomations } from '../automations/automations-page.tsx'
import { Runs } from '../automations/runs.tsx'
import { useResource } from '../data/resource.ts'
import { account, session } from '../data/session.ts'
import { amountText, clockTime, dayOf, relativeTime, sentenceCase, shownAt, words } from '../data/values.ts'
import { Balance } from '../numbers/billing-figures.tsx'
import { MoneyTiles } from '../numbers/numbers-page.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Bars, Sparkline } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Entry } from '../timeline/entry.ts'
import { type Finding, groupFailures, groupFindings } from './findings.ts'

/** Copy of what `inspector.overview` answers (contract/control/inspector.ts). */
interface Overview {
  readonly since: string
  readonly counts: Readonly<Record<string, { readonly total: number; readonly hourly: readonly number[] }>>
  readonly next_charges: readonly {
    readonly at: string
    readonly amount: number
    readonly text: string
    readonly subject: { readonly noun: string; readonly id: string | number } | null
  }[]
  readonly attention: readonly Finding[]
}

interface KindUsage {
  readonly key: string
  readonly unit: MoneyUnit
  readonly amount: number
  readonly charges: number
}

/** Search of the timeline (timeline/search.ts) by the names of `counts`, so that a tile leads to the entries that it counts. */
const filterOf: Readonly<Record<string, string>> = {
  requests: 'kind:request',
  messages: 'kind:message',
  calls: 'kind:call',
  runs: 'kind:run',
  deliveries: 'kind:delivery',
  failed: 'status:failed',
}

/** Kinds of changes after which the page loads again: what the overview counts or judges. */
const changing = ['request', 'message', 'call', 'run', 'delivery', 'ledger', 'clock', 'number', 'automation', 'fault']

function ClockTile() {
  const clock = platformClock.value
  if (!clock) return null
  const now = new Date(platformNow.value).toISOString()
  return (
    <div class="tile">
      <span class="tile-title">Clock</span>
      <b>
        {dayOf(now)} {clockTime(now)}
      </b>
      <a href={routePath('clock')}>
        {clock.frozen ? 'Frozen' : Math.abs(clock.offset_seconds) < 1 ? 'Real time' : 'Shifted'}: open the clock
      </a>
    </div>
  )
}

/** What happened in the last 24 hours, of one kind. It leads to the entries that it counts. */
const CountTile = ({
  name,
  since,
  total,
  hourly,
}: {
  name: string
  since: string
  total: number
  hourly: readonly number[]
}) => (
  <a
    class={`tile ${name === 'failed' && total > 0 ? 'bad' : ''}`}
    href={routePath('timeline', [], { search: `${filterOf[name] ?? ''} account:${account.value} since:${since}` })}
  >
    <span class="tile-title">{words(name)}</span>
    <b>{total.toLocaleString('en-US')}</b>
    <Sparkline values={hourly} tone={name === 'failed' ? 'bad' : 'plain'} />
    <span class="muted">last 24 hours</span>
  </a>
)

/** What every platform knows, for one that does not summarize its activity: failing automations, charges and runs. */
const Basics = () => (
  <>
    <FailingAutomations />
    <MoneyTiles />
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
            const { since, counts, next_charges, attention } = answer.body
            const { failed, ...others } = counts
            return (
              <>
                <Attention findings={attention} />
                <LatestFailures />
                <div class="tiles">
                  {failed && <CountTile name="failed" since={since} {...failed} />}
                  <Balance to="numbers" />
                  {Object.entries(others).map(([name, count]) => (
                    <CountTile key={name} name={name} since={since} {...count} />
                  ))}
                  <ClockTile />
                </div>
                <div class="columns">
                  <Section
                    title="Next charges"
                    aside={
                      <span class="actions">
                        <a href={routePath('numbers')}>All numbers</a>
                        {next_charges.length > 0 && <a href={routePath('clock')}>Advance the clock to the next</a>}
                      </span>
                    }
                  >
                    {next_charges.length === 0 ? (
                      <Empty title="No charges are scheduled">Numbers with a subscription renew every month.</Empty>
                    ) : (
                      <ul class="rows">
                        {next_charges.map((charge, at) => {
                          const to = charge.subject && resourcePath(charge.subject.noun, charge.subject.id)
                          return (
                            <li key={`${charge.at} ${charge.text}`}>
                              <span class="grow" dir="auto">
                                {to ? <a href={to}>{charge.text}</a> : charge.text}
                              </span>
                              <span class="muted" title={shownAt(answer, `/next_charges/${at}/at`)}>
                                {relativeTime(charge.at, platformNow.value)}
                              </span>
                              <b class="number">{amountText(shownAt(answer, `/next_charges/${at}/amount`), 'usd')}</b>
                            </li>
                          )
                        })}
                      </ul>
                    )}
                  </Section>
                  <UsageByKind />
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

/** What was charged this month, with the kinds of `parley billing usage --by kind`. */
function UsageByKind() {
  const resource = useResource<{ data: readonly KindUsage[] }>('/api/user/billing/usage?by=kind', ['ledger', 'clock'])
  return (
    <Section title="This month by kind" aside={<a href={routePath('numbers')}>All transactions</a>}>
      <Loaded resource={resource} what="Loading the usage">
        {({ body, command }) =>
          body.data.length === 0 ? (
            <Empty title="Nothing was charged this month" />
          ) : (
            <>
              <Bars
                label="This month by kind"
                items={body.data.map((kind) => ({
                  label: `${words(kind.key)} (${kind.charges})`,
                  value: Math.abs(kind.amount),
                  text: formattedAmount(kind.amount, kind.unit),
                }))}
              />
              <CommandLine command={command} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Pages of the checks that are about the platform and no resource, by the `code` that `inspector.overview` gives their problems. */
const pageOfCheck: Readonly<Record<string, string>> = { faults: 'faults', clock: 'clock' }

function FindingText({ of: finding }: { of: Finding }) {
  const page = pageOfCheck[finding.code]
  const to = finding.subject ? resourcePath(finding.subject.noun, finding.subject.id) : page ? routePath(page) : null
  return (
    <>
      <span dir="auto">{to ? <a href={to}>{finding.text}</a> : finding.text}</span>
      {finding.command?.startsWith('parley ') ? (
        <CommandLine command={finding.command} />
      ) : (
        finding.command && <p class="muted">{finding.command}</p>
      )}
    </>
  )
}

function Attention({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="notice good">No problems found.</p>
  return (
    <Section title="Needs attention">
      <ul class="findings">
        {groupFindings(findings).map(({ key, severity, title, findings: found }) => (
          <li key={key} class={severity}>
            <p class="finding-title">
              <Badge status={severity} /> <b>{title}</b> {found.length > 1 && <span class="tag">{found.length}</span>}
            </p>
            <FindingText of={found[0] as Finding} />
            {found.length > 1 && (
              <details>
                <summary>{found.length === 2 ? 'Show the other one' : `Show the other ${found.length - 1}`}</summary>
                <ul class="rows">
                  {found.slice(1).map((finding) => (
                    <li key={finding.text}>
                      <div>
                        <FindingText of={finding} />
                      </div>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Kind and name of a failure. The title of a call has the kind already. */
const failureTitle = ({ kind, title }: Entry): string =>
  sentenceCase(kind === 'call' ? title : `${kind} ${kind === 'delivery' ? words(title) : title}`)

/** The newest failures, identical ones as one with a count, each with its reason and the way to its record. */
function LatestFailures() {
  const resource = useResource<{ data: readonly Entry[] }>(
    `/control/timeline?status=failed&limit=50&account=${account.value}`,
    changing,
  )
  const groups = groupFailures(resource.answer?.body.data ?? [])
  if (groups.length === 0) return null
  return (
    <Section
      title="Latest failures"
      aside={<a href={routePath('timeline', [], { search: `status:failed account:${account.value}` })}>All failures</a>}
    >
      <ul class="rows">
        {groups.slice(0, 5).map(({ newest: entry, count }) => (
          <li key={entry.id}>
            <span class="muted">
              <When at={entry.at} />
            </span>
            <span class="grow" dir="auto">
              <a
                href={
                  (entry.subject && resourcePath(entry.subject.noun, entry.subject.id)) ??
                  routePath('timeline', [entry.id])
                }
              >
                {failureTitle(entry)}
                {/* The text of a request is how long it took. */}
                {entry.kind !== 'request' && entry.text && `: ${entry.text}`}
              </a>
            </span>
            {count > 1 && <span class="tag">{count} times</span>}
            <Badge status={entry.status} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
