import { contract } from '../../src/contract/resources/index.ts'
import type { Answered } from '../support/platform/platform-api.ts'
import type { StepRun } from './world.ts'

/** Faults of endpoints. */
const faults = [
  { endpoint: 'numbers.buy', error: 'numbers.declined' },
  { endpoint: 'numbers.*', status: 503 },
  { endpoint: '*', status: 500 },
  { endpoint: 'tools.*', latency_ms: 1 },
]

/** Advances the clock of the platform by minutes to hours, and lets its jobs run. */
export async function advance({ world, random }: StepRun): Promise<void> {
  const answer = await world.control('POST', '/control/clock/advance', { by: `${random.between(1, 400)}m` })
  if (answer.status !== 200) world.wrong.push(`the clock answered ${answer.status} ${answer.text}`)
}

/** Freezes the clock, or lets it run. */
export async function holdClock({ world, random }: StepRun): Promise<void> {
  await world.control('POST', random.between(0, 1) === 0 ? '/control/clock/freeze' : '/control/clock/resume', {})
}

/** Stops all processes in order. */
export const restart = ({ world }: StepRun): Promise<void> => world.machine.restart()

/** Sends a template from a sender of the sample account. */
export async function sendMessage(run: StepRun): Promise<void> {
  const { world, random } = run
  const account = world.accounts[0]
  if (!account) return
  const ids = ({ body }: Answered): number[] => (body.data as { id: number }[]).map((it) => it.id)
  const sender = random.pick(ids(await run.read(contract.messaging.senders, {}, account)))
  const template = random.pick(ids(await run.read(contract.messaging.templates, { senderId: sender }, account)))
  if (!template) return
  const recipient_phone = `+1415555${random.between(1000, 1019)}`
  const input = { sender_id: sender, recipient_phone, template_id: template, variables: { name: 'Ada' } }
  const answer = await run.sendUntilKnown(contract.messaging.send, input, account)
  if (answer.status >= 500) run.complain('a message', answer)
}

/** Lets a customer write to a sender of the sample account, which raises events and runs automations. */
export async function customerWrites({ world, random }: StepRun): Promise<void> {
  const answer = await world.control('POST', '/control/simulate/message', {
    account: 1,
    sender: 1,
    from: `+1415555${random.between(1000, 1019)}`,
    text: `Hello ${random.between(1, 99)}`,
  })
  if (answer.status >= 300) world.wrong.push(`a message of a customer answered ${answer.status} ${answer.text}`)
}

/** Adds a fault that triggers once or twice. */
export async function addFault({ world, random }: StepRun): Promise<void> {
  const fault = random.pick(faults)
  world.hasFaults = true
  await world.control('POST', '/control/faults', { ...fault, times: random.between(1, 2) })
}

/** Removes the faults that have not triggered, so that checks are not disturbed. */
export async function removeFaults({ world }: StepRun): Promise<void> {
  await world.control('DELETE', '/control/faults')
  world.hasFaults = false
}
