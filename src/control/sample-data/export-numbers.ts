import { toIsoMicros } from '../../jobs/clock.ts'
import { passwordLabel, settingsFromRow } from '../../services/numbers/sip-trunk-rows.ts'
import { listNumbers } from '../../store/numbers/numbers.ts'
import { listTrunks } from '../../store/numbers/sip-trunks.ts'
import { type Exporting, timesOfRow } from './export-context.ts'
import { omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the numbers with their subscriptions, without those of SIP trunks. */
export async function exportNumbers({ query, account, names }: Exporting): Promise<Fields[]> {
  const rows = await listNumbers(query, account.id)
  return rows
    .filter(({ number }) => number.type !== 'sip')
    .map(({ number: it, subscription }) =>
      omitDefaults('numbers', {
        ...names.add('numbers', it.id, it.phone_number),
        phone_number: it.phone_number,
        type: it.type,
        country_code: it.country_code,
        region: it.region,
        sms_capable: (it.sms_capable === 1) === (it.type === 'normal') ? undefined : it.sms_capable === 1,
        nickname: it.nickname,
        subscription: subscription && {
          status: subscription.status,
          renewal_day: subscription.anchor,
          period_start: toIsoMicros(subscription.period_start),
          period_end: toIsoMicros(subscription.period_end),
        },
        created_at: toIsoMicros(it.created_at),
      }),
    )
}

/** Returns the SIP trunks. */
export async function exportTrunks({ query, account, vault, hasSecrets, names }: Exporting): Promise<Fields[]> {
  return (await listTrunks(query, account.id)).map((it) =>
    omitDefaults('sip_trunks', {
      ...names.add('numbers', it.number_id, it.phone_number),
      sip_trunk_type: it.trunk_type,
      ...settingsFromRow(it),
      sip_password: hasSecrets ? vault.open(it.sip_password, passwordLabel(account.id)) : undefined,
      ...timesOfRow(it),
    }),
  )
}
