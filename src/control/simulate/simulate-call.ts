import { Failure } from '../../contract/errors/failures.ts'
import { parsePhoneNumber } from '../../contract/values/phone-number.ts'
import { queueCallScript } from '../../providers/telephony/call-script-queue.ts'
import { inboundScriptKey } from '../../providers/telephony/local-carrier.ts'
import { callService } from '../../services/calls/call-service.ts'
import { inboundCallService } from '../../services/calls/inbound-call-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { type AssistantRow, findNumberAssistant } from '../../store/assistants/assistants.ts'
import type { Query } from '../../store/database/connection.ts'
import { readMeta, writeMeta } from '../../store/database/meta.ts'
import { listNumberRows } from '../../store/numbers/numbers.ts'
import { findByRequestKey } from '../../store/runtime/request-keys.ts'
import { cannotSimulate, resolveAccount, resolveAssistant, targetNotFound } from './resolve-targets.ts'
import type { Simulations } from './simulations.ts'

type CallRequest = Parameters<Simulations['call']>[0]

/**
 * Returns the assistant that answers an inbound call and the called number: the named assistant, or the one that has
 * the number.
 */
async function findAnsweringAssistant(
  query: Query,
  { id: account }: AccountRow,
  { assistant, to }: CallRequest,
): Promise<{ readonly assistant: AssistantRow; readonly to: string }> {
  const numbers = await listNumberRows(query, account)
  if (assistant !== undefined) {
    const row = await resolveAssistant(query, account, assistant)
    const own = numbers.find((it) => it.id === row.phone_number_id)?.phone_number
    const called = to ?? own
    if (called === undefined) throw cannotSimulate('the assistant has no phone number. Pass the called number as "to".')
    return { assistant: row, to: called }
  }
  const number = numbers.find((it) => it.phone_number === to)
  if (!number) throw targetNotFound(to === undefined ? 'assistant' : 'phone number')
  const row = await findNumberAssistant(query, account, number.id)
  if (!row) throw cannotSimulate('no assistant answers on this number.')
  return { assistant: row, to: number.phone_number }
}

/** Creates the simulation of scripted calls. It queues the script at the carrier, then makes an ordinary call. */
export function createCallSimulation(deps: Deps): Simulations['call'] {
  const { connection } = deps
  return async (callRequest) => {
    const { direction, variables = {}, account, assistant, to, phone_number, ...script } = callRequest
    const owner = await resolveAccount(connection.read, account)
    const phone = await parsePhoneNumber(phone_number)
    if (phone === undefined) throw new Failure('calls.invalid_phone')
    if (direction === 'lead') {
      await connection.write('rows', (query) => queueCallScript(query, phone, script))
      return { message: 'The next call to this number follows the script.', data: { id: null, direction } }
    }
    const key = `simulated-${await connection.write({ name: 'simulated calls' }, (query) => nextSimulationId(query))}`
    if (direction === 'inbound') {
      const it = await findAnsweringAssistant(connection.read, owner, callRequest)
      await connection.write('rows', (query) => queueCallScript(query, inboundScriptKey(phone, it.to), script))
      const row = await inboundCallService(deps).receive({ ...it, from: phone, key })
      return { message: 'Inbound call received.', data: { id: row.id, direction } }
    }
    if (assistant === undefined) throw targetNotFound('assistant')
    const { id } = await resolveAssistant(connection.read, owner.id, assistant)
    await connection.write('rows', (query) => queueCallScript(query, phone, script))
    await callService(deps).start(owner, { phone, assistantId: id, variables }, key)
    const row = await findByRequestKey(connection.read, 'phone_call', owner.id, key, 0)
    return { message: 'Call initiated successfully.', data: { id: row?.id ?? null, direction } }
  }
}

/** Returns a new number for a simulated call. */
async function nextSimulationId(query: Query): Promise<number> {
  const value = String(Number((await readMeta(query, 'simulated')) ?? 0) + 1)
  await writeMeta(query, 'simulated', value)
  return Number(value)
}
