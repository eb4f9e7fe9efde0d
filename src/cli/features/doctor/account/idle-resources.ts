import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import { type AccountReader, mapConcurrently } from '../../../program/dependencies/account-reader.ts'
import { itemsWith } from '../../../program/dependencies/item-index.ts'
import { findUsages } from '../../../program/dependencies/usages.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/** Reports numbers and senders that cannot do their work. `parley audit` reports what is superfluous. */
export async function idleFindings({ account }: AccountScope): Promise<Finding[]> {
  const found = [numberAssistantFindings, senderAssistantFindings, senderTemplateFindings].map((it) => it(account))
  return (await Promise.all(found)).flat()
}

async function numberAssistantFindings(account: AccountReader): Promise<Finding[]> {
  const [numbers, assistants, flows] = await Promise.all([
    account.list('numbers'),
    account.list('assistants'),
    account.automations(),
    account.list('campaigns'),
  ])
  const isKnown =
    (['numbers', 'assistants', 'campaigns', 'automate'] as const).every(account.isComplete) &&
    flows.every((it) => it.status !== 'enabled' || it.definition !== undefined)
  if (!isKnown) return []
  const waiting = assistants.find((it) => it.type === 'inbound' && (it.phone_number_id ?? null) === null)
  // SIP trunks and caller ids are not bought from the platform; a released number is removed anyway.
  const owned = numbers.filter((it) => it.type === 'normal' && (it.ends_at ?? null) === null)
  return (await mapConcurrently(owned, (it) => numberFinding(account, it, waiting))).flat()
}

async function numberFinding(
  account: AccountReader,
  number: LinkedItem,
  waiting: LinkedItem | undefined,
): Promise<Finding[]> {
  const { certain, possible } = await findUsages(account, 'numbers', number)
  // An expression may refer to any number.
  if (possible.length > 0) return []
  const usages = certain.filter(({ link }) => link.item.status !== 'completed')
  if (usages.some(({ link }) => link.from === 'assistants')) return []
  // A paid number that nothing uses is a finding of `parley audit`.
  if (usages.length === 0 && number.has_active_subscription === true) return []
  return [
    resourceFinding(
      'warning',
      'number_assistant',
      ['numbers', number],
      'has no assistant, so calls to it are not answered.',
      waiting
        ? `parley assistants update ${waiting.id} --phone-number-id ${number.id}`
        : `parley assistants create --type inbound --phone-number-id ${number.id}`,
    ),
  ]
}

/** Reports online senders without an assistant, where the platform shows the assistants of senders. */
async function senderAssistantFindings(account: AccountReader): Promise<Finding[]> {
  const senders = (await account.listReferring('senders')).filter((it) => it.status === 'online')
  const unanswered = senders.filter(({ assistant_id: assistant }) => assistant === null)
  if (unanswered.length === 0) return []
  const ready = (await account.list('assistants')).find((it) => it.status !== 'inactive')
  return unanswered.map((sender) =>
    resourceFinding(
      'warning',
      'sender_assistant',
      ['senders', sender],
      'has no assistant, so it cannot send or receive messages.',
      ready
        ? `parley messaging assign ${sender.id} --assistant-id ${ready.id}`
        : `parley assistants create, then parley messaging assign ${sender.id}`,
    ),
  )
}

async function senderTemplateFindings(account: AccountReader): Promise<Finding[]> {
  const senders = (await account.list('senders')).filter(({ status }) => status === 'online')
  const templates = senders.length === 0 ? [] : await account.list('templates')
  if (!account.isComplete('templates')) return []
  return senders
    .filter(({ id }) => !itemsWith(templates, 'sender_id', id).some((it) => it.status === 'approved'))
    .map((sender) =>
      resourceFinding(
        'warning',
        'sender_templates',
        ['senders', sender],
        'has no approved template, so it cannot start conversations.',
        `parley messaging templates ${sender.id} --status all`,
      ),
    )
}
