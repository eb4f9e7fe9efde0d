import { property } from '../../client/answer.ts'
import { ClientFailure } from '../../client/failure.ts'
import { accounts, platform } from '../../contract/control.ts'
import { endpoints } from '../../contract/index.ts'
import { isPlanned } from '../../contract/planned.ts'
import type { Connected } from '../connect.ts'
import type { Context } from '../context.ts'
import type { Settings } from '../settings.ts'
import { making, sending, unmaking } from './conformance-steps.ts'
import { type Conformity, endpointOf, Looker } from './looker.ts'

/**
 * Looks at every answer the contract documents and a platform gives to reads; on a platform of one's own also to writes, in an account made for it.
 * Every endpoint has a row: what is not looked at is "skipped", and says why. @throws ClientFailure when the platform cannot be asked at all
 */
export async function checkConformance(context: Context, settings: Settings): Promise<readonly Conformity[]> {
  const connected = await context.connectTo(settings)
  try {
    // Without an answer to this nothing else can be asked either.
    await connected.call.raw(endpointOf('user.me'), {}, { asIs: true }).then(({ status, output }) => refuse(status, output))
    const own = new Looker(connected.call)
    await own.readAll()
    await own.lookWithoutKey()
    const reason = await whyNotWritten(settings, connected)
    const written = reason === undefined ? await inThrowAwayAccount(context, settings, connected) : []
    return merged([...own.found, ...written, ...endpoints.map((it) => skipped(it.name, reason ?? (isPlanned(it.name) ? notBuilt : 'Nothing asks it.')))])
  } finally {
    await connected.close()
  }
}

const notBuilt = 'Declared, and not built yet.'

const skipped = (endpoint: string, note: string): Conformity => ({ endpoint, case: 'answer', status: 'skipped', differences: [], note })

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

async function inThrowAwayAccount(context: Context, settings: Settings, { call }: Connected): Promise<readonly Conformity[]> {
  const { data, token } = await call(accounts.create, { name: 'Conformance check', payment_method: 'pm_card_visa', balance: 5 })
  const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value: token } })
  try {
    const looker = new Looker(connected.call)
    await looker.write(making)
    // Without an assistant to answer for them there are none.
    await call(accounts.senders, { id: data.id }).catch(() => {})
    await looker.write(sending)
    await looker.readAll()
    await looker.refuseAll()
    await looker.write(unmaking)
    return looker.found
  } finally {
    await connected.close()
    await call(accounts.delete, { id: data.id })
  }
}

/** One row for each case: where it was looked at twice, what differed counts, and a look counts more than none. */
function merged(all: readonly Conformity[]): readonly Conformity[] {
  const ranks = ['skipped', 'same', 'tolerated', 'drift']
  const rows = new Map<string, Conformity>()
  for (const it of all) {
    const key = `${it.endpoint} ${it.case}`
    const before = rows.get(key)
    if (!before || ranks.indexOf(it.status) > ranks.indexOf(before.status)) rows.set(key, it)
  }
  const order = endpoints.map((it) => it.name)
  const cases: readonly Conformity['case'][] = ['answer', 'not found', 'rejected', 'without a key']
  const placeOf = (it: Conformity): number => order.indexOf(it.endpoint) * cases.length + cases.indexOf(it.case)
  return [...rows.values()].sort((a, b) => placeOf(a) - placeOf(b))
}
