import { Failure, failures } from '../../../contract/errors/failures.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { listAccounts } from '../../store/accounts/accounts.ts'
import { type AssistantRow, listActiveAssistants } from '../../store/assistants/assistants.ts'
import type { Query } from '../../store/database/connection.ts'
import { listTemplates, type TemplateRow } from '../../store/messaging/message-templates.ts'
import { listSenders, type SenderRow } from '../../store/messaging/senders.ts'
import { listNumberRows, type NumberRow } from '../../store/numbers/numbers.ts'

/** The target of a simulation: an id or a name. */
export type TargetName = string | number

/** Returns the refusal for an unknown target. */
export const targetNotFound = (target: string): Failure =>
  new Failure('simulate.not_found', { text: failures['simulate.not_found'].text.replace('{resource}', () => target) })
/** Returns the refusal for a simulation that is not possible. */
export const cannotSimulate = (why: string): Failure =>
  new Failure('simulate.impossible', { text: failures['simulate.impossible'].text.replace('{why}', () => why) })

const isId = (it: TargetName): boolean => typeof it === 'number' || /^\d{1,15}$/.test(it)

/** Returns the account by id, or the only one. @throws Failure */
export async function resolveAccount(query: Query, id: number | undefined): Promise<AccountRow> {
  const all = await listAccounts(query)
  const found = id === undefined ? (all.length === 1 ? all[0] : undefined) : all.find((it) => it.id === id)
  if (!found && id === undefined && all.length > 1)
    throw cannotSimulate('there are several accounts. Pass the account id.')
  if (!found) throw targetNotFound('account')
  return found
}

/** Returns an assistant by UUID, name or id. @throws Failure */
export async function resolveAssistant(query: Query, account: number, name: TargetName): Promise<AssistantRow> {
  const all = await listActiveAssistants(query, account)
  const found =
    all.find((it) => it.uuid === name || it.name === name) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('assistant')
  return found
}

/** Returns a sender by phone number, display name or id. @throws Failure */
export async function resolveSender(query: Query, account: number, name: TargetName): Promise<SenderRow> {
  const all = await listSenders(query, account)
  const found =
    all.find((it) => it.phone_number === name || it.display_name === name) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('sender')
  return found
}

/** Returns a template by name or id. @throws Failure */
export async function resolveTemplate(query: Query, sender: SenderRow, name: TargetName): Promise<TemplateRow> {
  const all = await listTemplates(query, sender)
  const found =
    all.find((it) => it.name === name) ?? (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('template')
  return found
}

/** Returns a phone number by its digits in E.164 or its id. @throws Failure */
export async function resolveNumber(query: Query, account: number, name: TargetName): Promise<NumberRow> {
  const all = await listNumberRows(query, account)
  const found =
    all.find((it) => it.phone_number === String(name)) ??
    (isId(name) ? all.find((it) => it.id === Number(name)) : undefined)
  if (!found) throw targetNotFound('phone number')
  return found
}
