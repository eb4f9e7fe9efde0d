import type { GroupWorker, Worker } from '../events/due.ts'
import { deliveryWork } from '../store/deliveries.ts'
import { runWork } from '../store/runs.ts'
import { silenceWork } from '../store/silence.ts'
import { pollWork, scheduleWork } from './automations/work.ts'
import { callService, callWork } from './calls.ts'
import { fallbackWork, turnWork } from './campaign-leads.ts'
import { campaignTexts } from './campaign-texts.ts'
import { campaignTurns } from './campaign-turns.ts'
import { campaignService, campaignWork } from './campaigns.ts'
import { silenceService } from './conversation-events.ts'
import { eventWork } from './deliveries/announcing.ts'
import { dispatchService } from './deliveries/dispatching.ts'
import type { Deps } from './deps.ts'
import { answerWork, inboundMessageService } from './inbound-messages.ts'
import { documentWork, knowledgeService } from './knowledge.ts'
import { numberService } from './numbers.ts'
import { provisioningService, trunkWork } from './provisioning.ts'
import { purchaseService, purchaseWork } from './purchases.ts'
import { readingService, readingWork } from './reading-ends.ts'
import { sendService, sendWork } from './sends.ts'
import { smsService, smsWork } from './sms.ts'
import { subscriptionService } from './subscriptions.ts'
import { senderSync, synchronisingService, templateSync } from './synchronising.ts'

/** Who does which kind of due work. */
export function workersOf(deps: Deps): Readonly<Record<string, Worker | GroupWorker>> {
  const calls = callService(deps)
  const campaigns = campaignService(deps)
  const events = dispatchService(deps)
  const inbound = inboundMessageService(deps)
  const knowledge = knowledgeService(deps)
  const numbers = numberService(deps)
  const provisioning = provisioningService(deps)
  const purchases = purchaseService(deps)
  const sends = sendService(deps)
  const sms = smsService(deps)
  const silence = silenceService(deps)
  const subscriptions = subscriptionService(deps)
  const triggers = async () => (await import('./automations/triggers.ts')).triggerService(deps)
  return {
    [purchaseWork]: (row) => purchases.resume(Number(row.subject)),
    [documentWork]: (row) => knowledge.process(row),
    [trunkWork]: (row) => provisioning.sweep(Number(row.subject)),
    [sendWork]: (row) => sends.resume(Number(row.subject)),
    [smsWork]: (row) => sms.resume(Number(row.subject)),
    [callWork]: (row) => calls.resume(row),
    [campaignWork]: (row) => campaigns.sweep(Number(row.subject)),
    [turnWork]: (row) => campaignTurns(deps).turn(Number(row.subject)),
    [fallbackWork]: (row) => campaignTexts(deps).fallBack(Number(row.subject)),
    [runWork]: { many: async (rows) => (await deps.runner()).wake(rows.map((row) => row.subject)) },
    [answerWork]: (row) => inbound.answer(Number(row.subject)),
    [senderSync]: (row) => synchronisingService(deps).senders(row),
    [templateSync]: (row) => synchronisingService(deps).templates(row),
    [readingWork]: (row) => readingService(deps).read(row),
    [silenceWork]: (row) => silence.look(Number(row.subject)),
    [eventWork]: (row) => events.take(Number(row.subject)),
    [deliveryWork]: { many: async (rows) => (await deps.deliverer()).begin(rows) },
    [scheduleWork]: async (row) => (await triggers()).tick(row.subject, row.due_at),
    [pollWork]: async (row) => (await triggers()).ask(row.subject),
    subscription: (row) => subscriptions.renew(Number(row.subject), row.id, row.attempts > 0),
    release: (row) => numbers.end(row.account_id, Number(row.subject)),
  }
}
