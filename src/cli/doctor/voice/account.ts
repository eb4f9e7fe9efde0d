import { isLoopback } from '../../../client/base-url.ts'
import type { Call } from '../../../client/call.ts'
import type { Context } from '../../context.ts'
import { accountOf, unseen } from '../../references/account.ts'
import { type Finding, ok, warning } from '../finding.ts'
import { privateAddresses } from './addresses.ts'
import { automationFindings, variableFindings } from './automations.ts'
import { danglingReferences } from './dangling.ts'
import { failedRuns } from './failed-runs.ts'
import { idleCampaigns } from './leads.ts'
import type { Look } from './look.ts'
import { messageFindings } from './messages.ts'
import { numberFindings } from './numbers.ts'
import { unreachableAddresses } from './reach.ts'
import { slotConflicts } from './slots.ts'
import { speechMismatches } from './speech.ts'

export interface Examination {
  readonly call: Call
  /** Where the platform is. */
  readonly base: string
  /** Ask the addresses of tools and webhooks too. */
  readonly reach: boolean
}

/** What of an account cannot work: with reads only, each list once. One sentence that all is well where it is. */
export async function checkAccount(context: Context, { call, base, reach }: Examination): Promise<Finding[]> {
  const account = accountOf(call, context.world.signal, { onlyEnabled: true })
  const url = URL.canParse(base) && /^https?:/.test(base) ? new URL(base) : undefined
  const look: Look = { account, isRemote: url !== undefined && !isLoopback(url.hostname), origin: url?.origin }
  const isOffered = await context.has('runs').catch(() => false)
  const checks = await Promise.all([
    danglingReferences(look),
    speechMismatches(look),
    numberFindings(look),
    messageFindings(look),
    slotConflicts(look),
    automationFindings(look),
    variableFindings(look),
    failedRuns(look, call, isOffered),
    idleCampaigns(look, call),
    privateAddresses(look),
  ])
  const found = [...checks.flat(), ...(reach ? await unreachableAddresses(context, look) : [])]
  const isWell = found.every(({ status }) => status === 'ok')
  return [...(isWell ? [ok('account', await counted(look))] : []), ...found, ...seen(account.troubles)]
}

async function counted({ account }: Look): Promise<string> {
  const kinds = ['assistants', 'tools', 'numbers', 'campaigns', 'automate'] as const
  const counts = await Promise.all(kinds.map(async (it) => [it === 'automate' ? 'automations' : it, (await account.list(it)).length] as const))
  const told = counts.map(([noun, count]) => `${count} ${count === 1 ? noun.slice(0, -1) : noun}`)
  return `Nothing is wrong with what is there: ${told.join(', ')}.`
}

/** What could not be looked at. A platform that has no such list has nothing wrong in it. */
function seen(troubles: Look['account']['troubles']): Finding[] {
  const { refused, absent } = unseen(troubles)
  return [
    ...(absent ? [ok('account_lists', absent)] : []),
    ...(refused ? [warning('account_lists', refused, 'Try again: parley doctor --voice. A key may be allowed less than that.')] : []),
  ]
}
