import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { property } from '../../../client/response-body.ts'
import { accounts } from '../../../contract/control/accounts.ts'
import { platform } from '../../../contract/control/platform.ts'
import { endpoints } from '../../../contract/resources/index.ts'
import type { Settings } from '../../configuration/settings.ts'
import type { Connection } from '../../connection/connect.ts'
import type { Context } from '../../context.ts'
import { ConformanceChecker, endpointOf } from './conformance-checker.ts'
import { ConformanceReport, type ConformanceResult } from './conformance-report.ts'
import { messageLookupSteps, messageSteps } from './message-steps.ts'
import { messageRefusalCases, refusalCases } from './refusal-cases.ts'
import { createSteps, deleteSteps, plantedSecrets } from './write-steps.ts'

/**
 * Compares the responses of a platform with the contract: reads everywhere, and writes on a local platform in test
 * accounts. Every endpoint gets a row; an endpoint that is not checked is "skipped" with a reason. @throws
 * ClientFailure if the platform cannot be reached
 */
export async function checkConformance(context: Context, settings: Settings): Promise<readonly ConformanceResult[]> {
  const connected = await context.connectTo(settings)
  try {
    // If this request fails, no other can succeed.
    await connected.call
      .raw(endpointOf('user.me'), {}, { acceptsAnyStatus: true })
      .then(({ status, output }) => rejectUnauthorized(status, output))
    const report = new ConformanceReport()
    const deepChecked = new Set<string>()
    const checker = new ConformanceChecker(connected.call, report, deepChecked)
    await checker.checkWithoutKey()
    await checker.checkReads()
    const reason = await skipReason(settings, connected)
    if (reason === undefined) await checkWithTestAccounts(context, settings, connected, report, deepChecked)
    const seen = new Set(report.rows().flatMap((it) => (it.case === 'answer' ? [it.endpoint] : [])))
    for (const { name } of endpoints) if (!seen.has(name)) report.skip(name, reason ?? 'Not covered by this check.')
    return report.rows()
  } finally {
    await connected.close()
  }
}

async function skipReason({ profile }: Settings, connected: Connection): Promise<string | undefined> {
  if (profile.read_only) return 'The endpoint writes, and the profile is read-only.'
  if (profile.protected) return 'The endpoint writes, and the profile is protected.'
  return (await hasControl(connected))
    ? undefined
    : 'The endpoint writes. Writes are checked only on a local platform, or on a Parley server with its control token.'
}

function rejectUnauthorized(status: number, output: unknown): void {
  if (status !== 401 && status !== 403) return
  const message = property(output, 'message')
  throw new ClientFailure({
    exit: 'auth',
    code: 'unauthenticated',
    message: typeof message === 'string' ? message : `The platform returned ${status}.`,
    hint: 'Sign in: parley login.',
    status,
  })
}

const hasControl = (connected: Connection): Promise<boolean> =>
  connected.call(platform.status, {}).then(
    () => true,
    () => false,
  )

/** Checks writes in two test accounts, because refused messages count against the rate limit of their account. */
async function checkWithTestAccounts(
  context: Context,
  settings: Settings,
  { call }: Connection,
  report: ConformanceReport,
  deep: Set<string>,
): Promise<void> {
  const withTestAccount = async (
    work: (checker: ConformanceChecker, giveSenders: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> => {
    const { data, token } = await call(accounts.create, {
      name: 'Conformance check',
      payment_method: 'pm_card_visa',
      balance: 5,
    })
    const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value: token } })
    try {
      const checker = new ConformanceChecker(connected.call, report, deep)
      for (const secret of [token, ...Object.values(plantedSecrets)]) checker.trackSecret(secret)
      // Without an assistant that answers for them, no senders can be created.
      await work(checker, () => call(accounts.senders, { id: data.id }).catch(() => {}))
    } finally {
      await connected.close()
      await call(accounts.delete, { id: data.id })
    }
  }
  await withTestAccount(async (looker, giveSenders) => {
    await looker.checkReads(true)
    await looker.runSteps(createSteps)
    await looker.checkRefusals(refusalCases)
    await giveSenders()
    await looker.runSteps(messageSteps)
    await looker.checkReads()
    await looker.checkRejections()
    await looker.runSteps(deleteSteps)
  })
  await withTestAccount(async (looker, giveSenders) => {
    await looker.runSteps(createSteps.filter((it) => it.endpoint === 'assistants.create'))
    await giveSenders()
    await looker.runSteps(messageLookupSteps)
    await looker.checkRefusals(messageRefusalCases)
  })
}
