import { maxPerPage } from '../../../contract/values/page-size.ts'
import { numberState } from '../../../contract/values/states.ts'
import { platformNow } from '../app/clock-state.tsx'
import { navigate } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { amountText, relativeTime, shownAt } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { openForm } from '../parts/form-dialog.tsx'
import { Empty, Loaded } from '../parts/states.tsx'

/** Copy of the fields of contract/resources/numbers.ts that the page shows. */
export interface OwnedNumber {
  readonly id: number
  readonly phone_number: string
  readonly nickname: string | null
  readonly type_label: string
  readonly country_code: string
  readonly region: string | null
  readonly sms_capable: boolean
  readonly has_active_subscription: boolean
  /** USD per month; missing or null without a subscription. */
  readonly price?: number | null
  readonly renews_at: string | null
  readonly ends_at: string | null
  readonly created_at: string
}

export const numbersPath = '/api/user/phone-numbers/all'

/** Whether a number renews, or when it ends. */
export const NumberState = ({ of: number }: { of: OwnedNumber }) => {
  const state = numberState(number, platformNow.value)
  return (
    <Badge
      status={state}
      text={state === 'ends' ? `ends ${relativeTime(number.ends_at ?? '', platformNow.value)}` : undefined}
    />
  )
}

interface Reference {
  readonly title: string
  readonly href: string | null
}

/** Returns what stops working if the number is released. */
function References({ number }: { number: OwnedNumber }) {
  const assistants = useResource<{ data: readonly { id: number; name: string; phone_number_id: number | null }[] }>(
    `/api/user/assistants/get?per_page=${maxPerPage}`,
  )
  const campaigns = useResource<
    readonly {
      id: number
      name: string
      phone_number_ids: readonly number[] | null
      sms_from_phone_number_id: number | null
      fallback_sms_from_phone_number_id: number | null
    }[]
  >('/api/user/campaigns', ['campaign'])
  const found: Reference[] = [
    ...(assistants.answer?.body.data ?? [])
      .filter((it) => it.phone_number_id === number.id)
      .map((it) => ({ title: `Assistant "${it.name}" answers calls to it`, href: null })),
    ...(campaigns.answer?.body ?? [])
      .filter(
        (automation) =>
          automation.phone_number_ids?.includes(number.id) ||
          automation.sms_from_phone_number_id === number.id ||
          automation.fallback_sms_from_phone_number_id === number.id,
      )
      .map((it) => ({ title: `Campaign "${it.name}" uses it`, href: routePath('messaging', [it.id]) })),
  ]
  return (
    <Section title="References">
      {found.length === 0 ? (
        <p class="muted">No assistant and no campaign uses this number.</p>
      ) : (
        <>
          <p>
            {number.ends_at
              ? `These stop working when the number ends, ${relativeTime(number.ends_at, platformNow.value)}:`
              : 'These stop working if the number is released:'}
          </p>
          <ul class="rows">
            {found.map((use) => (
              <li key={use.title} dir="auto">
                {use.href ? <a href={use.href}>{use.title}</a> : use.title}
              </li>
            ))}
          </ul>
        </>
      )}
      <CommandLine command={`parley refs numbers ${number.id}`} />
    </Section>
  )
}

/** One number: its renewal, what uses it, and how to release it. */
export function NumberDetail({ id }: { id: number }) {
  const resource = useResource<{ data: readonly OwnedNumber[] }>(numbersPath, ['number'])
  return (
    <Loaded resource={resource} what="Loading the number">
      {(answer) => {
        const at = answer.body.data.findIndex((it) => it.id === id)
        const own = answer.body.data[at]
        if (!own)
          return (
            <Empty title={`No number with the id ${id}`}>
              <a href={routePath('numbers')}>Show all numbers</a>
            </Empty>
          )
        const number = shownAt(answer, `/data/${at}/phone_number`)
        const rename = (): void =>
          openForm({
            title: 'Nickname',
            fields: [{ name: 'nickname', label: 'Nickname, at most 50 characters', value: own.nickname ?? '' }],
            label: 'Save',
            toAction: ({ nickname = '' }) => ({
              method: 'PUT',
              path: `/api/user/phone-numbers/${id}`,
              body: { nickname: nickname.trim() || null },
              label: 'Save',
            }),
          })
        const release = async (): Promise<void> => {
          const done = await act({
            method: 'DELETE',
            path: `/api/user/phone-numbers/${id}`,
            label: 'Release the number',
          })
          if (done) navigate(routePath('numbers'))
        }
        return (
          <>
            <PageHead
              title={number}
              note={
                <>
                  <NumberState of={own} /> {own.nickname}
                </>
              }
            >
              {!isReadOnly.value && (
                <>
                  <button type="button" onClick={rename}>
                    Nickname…
                  </button>
                  {!own.ends_at && (
                    <button type="button" onClick={release}>
                      Release…
                    </button>
                  )}
                </>
              )}
            </PageHead>
            <Section title="Number">
              <Fields
                items={[
                  ['Type', own.type_label],
                  ['Region', [own.region, own.country_code].filter(Boolean).join(', ')],
                  ['SMS', own.sms_capable ? 'yes' : 'no'],
                  ['Active subscription', own.has_active_subscription ? 'yes' : 'no'],
                  ['Price per month', own.price ? amountText(shownAt(answer, `/data/${at}/price`), 'usd') : null],
                  [
                    'Renews',
                    own.renews_at &&
                      `${shownAt(answer, `/data/${at}/renews_at`)} (${relativeTime(own.renews_at, platformNow.value)})`,
                  ],
                  [
                    'Ends',
                    own.ends_at &&
                      `${shownAt(answer, `/data/${at}/ends_at`)} (${relativeTime(own.ends_at, platformNow.value)})`,
                  ],
                  ['Added', shownAt(answer, `/data/${at}/created_at`)],
                ]}
              />
              <CommandLine command={answer.command} />
            </Section>
            <References number={own} />
          </>
        )
      }}
    </Loaded>
  )
}
