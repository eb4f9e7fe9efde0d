import type { Call } from '../../../client/create-client.ts'
import { isLoopback } from '../../../client/transport/base-url.ts'
import type { Capability } from '../../../contract/mechanics/capabilities.ts'
import type { Context } from '../../context.ts'
import { createAccountReader, describeFailures } from '../../dependencies/account-reader.ts'
import { resources } from '../../resources/descriptors.ts'
import { type Finding, ok, warning } from '../finding.ts'
import type { AccountScope } from './account-scope.ts'
import { reachabilityFindings } from './address-reachability.ts'
import { automationFindings, engineFindings, variableFindings } from './automation-checks.ts'
import { billingFindings } from './billing-checks.ts'
import { danglingReferenceFindings } from './dangling-references.ts'
import { failedRunFindings } from './failed-runs.ts'
import { idleCampaignFindings } from './idle-campaigns.ts'
import { messageFindings } from './messaging-checks.ts'
import { numberFindings } from './number-checks.ts'
import { slotConflictFindings } from './slot-conflicts.ts'
import { speechFindings } from './speech-mismatches.ts'
import { unusedFindings } from './unused-resources.ts'
import { privateAddressFindings } from './webhook-addresses.ts'

/** What the checks need of a command. */
export interface AccountCheckContext extends Pick<Context, 'supports'> {
  readonly system: Pick<Context['system'], 'signal'>
}

export interface AccountCheckOptions {
  readonly call: Call
  /** Base URL of the platform. */
  readonly base: string
  /** Time of the platform in milliseconds since 1970. */
  readonly now: number
  /** The command that also probes the addresses of tools and webhooks, or false. */
  readonly reach: Context | false
  /** Whether the code of automations is checked, which starts a thread with a sandbox (default: true). */
  readonly checksCode?: boolean
}

/**
 * Checks the resources of an account. Only reads, and reads each list once. Without problems it reports the balance and one
 * sentence.
 */
export async function checkAccount(
  context: AccountCheckContext,
  { call, base, now, reach, checksCode = true }: AccountCheckOptions,
): Promise<Finding[]> {
  const isOffered = (capability: Capability): Promise<boolean> => context.supports(capability).catch(() => false)
  const account = createAccountReader(call, context.system.signal, {
    onlyEnabled: true,
    hasAssignments: await isOffered('sender-assistants'),
  })
  const url = URL.canParse(base) && /^https?:/.test(base) ? new URL(base) : undefined
  const scope: AccountScope = {
    account,
    isRemote: url !== undefined && !isLoopback(url.hostname),
    origin: url?.origin,
    checksCode,
  }
  const { signal } = context.system
  const balance = await billingFindings({ call, signal, now, isOffered: await isOffered('billing') })
  const checks = await Promise.all([
    danglingReferenceFindings(scope),
    speechFindings(scope),
    numberFindings(scope),
    messageFindings(scope),
    slotConflictFindings(scope),
    automationFindings(scope),
    variableFindings(scope),
    engineFindings(scope, call, await isOffered('versions')),
    failedRunFindings(scope, call, await isOffered('runs')),
    idleCampaignFindings(scope, call),
    privateAddressFindings(scope),
    unusedFindings(scope),
  ])
  const found = [...checks.flat(), ...(reach ? await reachabilityFindings(reach, scope) : [])]
  const isWell = [...balance, ...found].every(({ status }) => status === 'ok')
  return [
    ...balance,
    ...(isWell ? [ok('account', await summaryText(scope))] : []),
    ...found,
    ...unreadFindings(account.failures),
  ]
}

async function summaryText({ account }: AccountScope): Promise<string> {
  const kinds = ['assistants', 'tools', 'numbers', 'campaigns', 'automate'] as const
  const counts = await Promise.all(kinds.map(async (it) => [resources[it], (await account.list(it)).length] as const))
  const countTexts = counts.map(([{ singular, plural }, count]) => `${count} ${count === 1 ? singular : plural}`)
  return `No problems found: ${countTexts.join(', ')}.`
}

/** Reports lists that could not be read. A list that the platform does not have is not a problem. */
function unreadFindings(troubles: AccountScope['account']['failures']): Finding[] {
  const { refused, absent } = describeFailures(troubles)
  return [
    ...(absent ? [ok('account_lists', absent)] : []),
    ...(refused
      ? [
          warning(
            'account_lists',
            refused,
            'Try again: parley doctor --voice. The API key may not have permission to read them.',
          ),
        ]
      : []),
  ]
}
