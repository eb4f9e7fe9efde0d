import { property } from '../../../client/answer.ts'
import { ClientFailure } from '../../../client/failure.ts'
import { accounts, platform } from '../../../contract/control.ts'
import { endpoints } from '../../../contract/index.ts'
import { isPlanned } from '../../../contract/planned.ts'
import type { Connected } from '../../connect.ts'
import type { Context } from '../../context.ts'
import type { Settings } from '../../settings.ts'
import { type Conformity, Report } from './conformity.ts'
import { endpointOf, Looker } from './looker.ts'
import { messageRefusals, refusals } from './refusals.ts'
import { addressing, making, planted, sending, unmaking } from './steps.ts'

/**
 * Looks at every answer the contract documents and a platform gives to reads; on a platform of one's own also to writes, in an account made for it.
 * Every endpoint has a row: what is not looked at is "skipped", and says why. @throws ClientFailure when the platform cannot be asked at all
 */
export async function checkConformance(context: Context, settings: Settings): Promise<readonly Conformity[]> {
  const connected = await context.connectTo(settings)
  try {
    // Without an answer to this nothing else can be asked either.
    await connected.call.raw(endpointOf('user.me'), {}, { asIs: true }).then(({ status, output }) => refuse(status, output))
    const report = new Report()
    const deep = new Set<string>()
    const own = new Looker(connected.call, report, deep)
    await own.lookWithoutKey()
    await own.readAll()
    const reason = await whyNotWritten(settings, connected)
    if (reason === undefined) await inThrowAwayAccounts(context, settings, connected, report, deep)
    const seen = new Set(report.rows().flatMap((it) => (it.case === 'answer' ? [it.endpoint] : [])))
    for (const { name } of endpoints) if (!seen.has(name)) report.skip(name, reason ?? (isPlanned(name) ? notBuilt : 'Nothing asks it.'))
    return report.rows()
  } finally {
    await connected.close()
  }
}

const notBuilt = 'Declared, and not built yet.'

async function whyNotWritten({ profile }: Settings, connected: Connected): Promise<string | undefined> {
  if (profile.read_only) return 'It writes, and the profile is read-only.'
  if (profile.protected) return 'It writes, and the profile is protected.'
  return (await isOwn(connected)) ? undefined : 'It writes, which is only done to a platform of your own.'
}

function refuse(status: number, output: unknown): void {
  if (status !== 401 && status !== 403) return
  const message = property(output, 'message')
  throw new ClientFailure({
    exit: 'auth',
    code: 'unauthenticated',
    message: typeof message === 'string' ? message : `The platform answered ${status}.`,
    hint: 'Sign in first: parley login.',
    status,
  })
}

const isOwn = (connected: Connected): Promise<boolean> =>
  connected.call(platform.status, {}).then(
    () => true,
    () => false,
  )

/** Writes in two accounts that are made for it: refusals of messages count against the pace of the account they are asked in. */
async function inThrowAwayAccounts(context: Context, settings: Settings, { call }: Connected, report: Report, deep: Set<string>): Promise<void> {
  const inOne = async (work: (looker: Looker, giveSenders: () => Promise<unknown>) => Promise<void>): Promise<void> => {
    const { data, token } = await call(accounts.create, { name: 'Conformance check', payment_method: 'pm_card_visa', balance: 5 })
    const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value: token } })
    try {
      const looker = new Looker(connected.call, report, deep)
      for (const secret of [token, ...Object.values(planted)]) looker.keepSecret(secret)
      // Without an assistant to answer for them there are none.
      await work(looker, () => call(accounts.senders, { id: data.id }).catch(() => {}))
    } finally {
      await connected.close()
      await call(accounts.delete, { id: data.id })
    }
  }
  await inOne(async (looker, giveSenders) => {
    await looker.readAll(true)
    await looker.write(making)
    await looker.refuse(refusals)
    await giveSenders()
    await looker.write(sending)
    await looker.readAll()
    await looker.refuseAll()
    await looker.write(unmaking)
  })
  await inOne(async (looker, giveSenders) => {
    await looker.write(making.filter((it) => it.endpoint === 'assistants.create'))
    await giveSenders()
    await looker.write(addressing)
    await looker.refuse(messageRefusals)
  })
}
