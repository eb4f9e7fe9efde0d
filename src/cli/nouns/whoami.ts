import { type BillingSummary, billing } from '../../contract/resources/billing.ts'
import { user } from '../../contract/resources/user.ts'
import { amountText } from '../../contract/values/money.ts'
import { command } from '../program/commandline/command.ts'
import { platformText } from '../program/configuration/active-profile.ts'
import { describeAgent, detectAgent } from '../program/configuration/agent-mode.ts'
import { maskKey } from '../program/configuration/profiles.ts'
import { settingOrigins } from '../program/configuration/setting-origins.ts'
import type { Connection } from '../program/connection/connect.ts'
import { sendRequest } from '../program/connection/send-request.ts'
import type { Context } from '../program/context.ts'
import { describeStopTime, readStopTime } from '../program/operations/stopped-account.ts'

/**
 * Formats the balance of the account in its unit: `25.00 credits`. Tenant accounts pay in credits, direct accounts in
 * minutes, and only platforms with the capability "billing" say which. Elsewhere the unit is named as unknown.
 */
async function balanceText(context: Context, balance: unknown): Promise<string> {
  const amount = Number(balance)
  return Number.isFinite(amount) ? amountText(amount, await balanceUnit(context)) : String(balance)
}

/** Returns the unit of the balance; null if the platform does not say. */
async function balanceUnit(context: Context): Promise<BillingSummary['unit']> {
  if (!(await context.supports('billing'))) return null
  try {
    return (await context.call(billing.summary, {})).data.unit
  } catch (error) {
    // The amount is known without it.
    if (context.system.signal.aborted) throw error
    return null
  }
}

/** The types of a connection, for people. */
const viaTexts: Readonly<Record<Connection['via'], string>> = {
  embedded: 'data folder',
  local_server: 'local server',
  remote: 'remote',
}

/** Command `whoami`. Scripts read the fields of its JSON: they are added, not renamed. */
export const whoami = command({
  summary: 'Show the account, platform and profile in use',
  endpoint: user.me,
  examples: ['', '--json'],
  async run(context) {
    const me = await sendRequest(context, user.me, {})
    if (!me) return
    const { profileName, baseUrl, key } = await context.settings()
    const connected = await context.connection()
    const token = await connected.key()
    const { out, system } = context
    // As the unit of the balance, it is another request, so only programs and a person at a terminal get it.
    const isAsked = context.interactive || !out.isForPeople
    const stoppedAt =
      isAsked && (await context.supports('stop')) ? await readStopTime(context.call, system.signal) : null
    const from = { profile: profileName.from, base_url: baseUrl.from, key: key.from }
    const shown = {
      ...me,
      profile: profileName.value,
      base_url: baseUrl.value,
      via: connected.via,
      key: token ? maskKey(token) : null,
      agent: detectAgent(system.env) ?? null,
    }
    if (!out.isForPeople) return out.record({ ...shown, stopped_at: stoppedAt, origin: settingOrigins(from) })
    const { total_balance: balance } = me
    await out.record(
      {
        ...shown,
        // The unit is another request, so only a person gets it.
        total_balance:
          context.interactive && typeof balance === 'number' ? await balanceText(context, balance) : balance,
        base_url: platformText(system, baseUrl.value),
        via: viaTexts[connected.via],
        agent: shown.agent && describeAgent(shown.agent),
        origin: from,
      },
      {
        view: {
          id: () => profileName.value,
          columns: [
            { key: 'total_balance', title: 'Balance', priority: 1 },
            { key: 'base_url', title: 'Platform', priority: 1 },
          ],
          empty: '',
        },
      },
    )
    if (stoppedAt !== null) await context.notes.warn(`${describeStopTime(stoppedAt)}. To continue: parley resume.`)
  },
})
