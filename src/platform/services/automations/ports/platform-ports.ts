import { Failure } from '../../../../contract/errors/failures.ts'
import { normalizedNumber } from '../../../../contract/values/phone-number.ts'
import type { ActionKey, CallsPort, MessagingPort, SmsPort } from '../../../../engine/pieces/ports.ts'
import { StepFailure } from '../../../../engine/pieces/step-failure.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { type AccountRow, findAccount } from '../../../store/accounts/accounts.ts'
import { listTemplates } from '../../../store/messaging/message-templates.ts'
import { findSender } from '../../../store/messaging/senders.ts'
import { callService } from '../../calls/call-service.ts'
import { sendService } from '../../messaging/send-service.ts'
import { smsService } from '../../messaging/sms-service.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Runs the body and turns a refusal of the platform into a step failure. */
export async function withStepFailures<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isMissing = error.kind.endsWith('not_found') || error.kind.endsWith('not_yours')
    throw new StepFailure(error.message, {
      classification: isMissing ? 'missing_record' : 'wiring_error',
    })
  }
}

/**
 * Returns the idempotency key that a service receives for an action of a step. The prefix separates it from the keys of
 * API callers.
 */
export const actionKey = ({ key }: ActionKey): string => `automation:${key}`

/** Returns the account. @throws StepFailure when it was deleted */
export async function requireAccount({ connection }: Pick<Deps, 'connection'>, account: number): Promise<AccountRow> {
  const owner = await findAccount(connection.read, account)
  if (!owner) throw new StepFailure('The account was deleted.')
  return owner
}

/** Sends SMS messages for steps. */
export function smsPort(deps: Deps): SmsPort {
  const service = smsService(deps)
  return {
    send: (action, { from, to, body }) =>
      withStepFailures(async () => {
        const row = await service.send(
          await requireAccount(deps, action.account),
          { from, to: await normalizedNumber(to), body },
          actionKey(action),
        )
        return {
          id: row.id,
          to: row.recipient,
          body: row.body,
          segments: row.segments,
          status: row.delivery_status,
          sms_sid: row.sms_sid,
        }
      }),
  }
}

/** Starts calls for steps. */
export function callsPort(deps: Deps): CallsPort {
  const service = callService(deps)
  return {
    start: (action, { assistant, phone, variables }) =>
      withStepFailures(async () => {
        await service.start(
          await requireAccount(deps, action.account),
          { phone: await normalizedNumber(phone), assistantId: assistant, variables: toTexts(variables) },
          actionKey(action),
        )
        return { message: 'Call initiated successfully', phone_number: phone, assistant_id: assistant }
      }),
  }
}

const toTexts = (variables: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      typeof variable === 'string' ? variable : (stringifyJson(variable) ?? ''),
    ]),
  )

/** Sends channel messages for steps. */
export function messagingPort(deps: Deps): MessagingPort {
  const service = sendService(deps)
  const toOutput = (row: Awaited<ReturnType<typeof service.template>>) => ({
    message_id: row.message_id,
    message_sid: row.message_sid,
    status: row.delivery_status,
    conversation_id: row.conversation_id,
    to: row.recipient_phone,
    body: row.body,
  })
  /**
   * Returns the id of a template given by id or name. Where several templates have the name, an approved one is
   * preferred.
   */
  async function resolveTemplateId(account: number, senderId: number, template: number | string): Promise<number> {
    if (typeof template === 'number' || /^\d+$/.test(template)) return Number(template)
    const sender = await findSender(deps.connection.read, account, senderId)
    const named = sender
      ? (await listTemplates(deps.connection.read, sender, undefined)).filter((it) => it.name === template)
      : []
    const found = named.find((it) => it.status === 'approved') ?? named[0]
    if (!sender) throw new Failure('messaging.sender_not_found')
    if (!found) throw new Failure('messaging.template_not_found')
    return found.id
  }
  return {
    sendTemplate: (action, { sender, template, to, variables }) =>
      withStepFailures(async () => {
        const draft = {
          senderId: sender,
          templateId: await resolveTemplateId(action.account, sender, template),
          recipient: await normalizedNumber(to),
          variables,
        }
        return toOutput(await service.template(await requireAccount(deps, action.account), draft, actionKey(action)))
      }),
    sendText: (action, { sender, to, body }) =>
      withStepFailures(async () =>
        toOutput(
          await service.freeform(
            await requireAccount(deps, action.account),
            { senderId: sender, recipient: await normalizedNumber(to), message: body },
            actionKey(action),
          ),
        ),
      ),
  }
}
