import type { BatchJobHandler, JobHandler } from '../events/due.ts'
import { deliveryJobKind } from '../store/deliveries.ts'
import { runJobKind } from '../store/runs.ts'
import { inactivityJobKind } from '../store/silence.ts'
import { pollTriggerJobKind, scheduleTriggerJobKind } from './automations/work.ts'
import { callService, callJobKind } from './calls.ts'
import { fallbackContactJobKind, campaignDispatchJobKind } from './campaign-leads.ts'
import { campaignMessages } from './campaign-texts.ts'
import { campaignDispatcher } from './campaign-turns.ts'
import { campaignService, campaignDeletionJobKind } from './campaigns.ts'
import { inactivityService } from './conversation-events.ts'
import { eventJobKind } from './deliveries/announcing.ts'
import { dispatchService } from './deliveries/dispatching.ts'
import type { Deps } from './deps.ts'
import { answerJobKind, inboundMessageService } from './inbound-messages.ts'
import { documentJobKind, knowledgeService } from './knowledge.ts'
import { numberService } from './numbers.ts'
import { trunkProvisioningService, trunkCleanupJobKind } from './provisioning.ts'
import { purchaseService, purchaseJobKind } from './purchases.ts'
import { extractionService, extractionJobKind } from './reading-ends.ts'
import { sendService, sendJobKind } from './sends.ts'
import { smsService, smsJobKind } from './sms.ts'
import { subscriptionService } from './subscriptions.ts'
import { senderSyncJobKind, channelSyncService, templateSyncJobKind } from './synchronising.ts'

/** Who does which kind of due work. */
export function createJobHandlers(deps: Deps): Readonly<Record<string, JobHandler | BatchJobHandler>> {
  const calls = callService(deps)
  const campaigns = campaignService(deps)
  const events = dispatchService(deps)
  const inbound = inboundMessageService(deps)
  const knowledge = knowledgeService(deps)
  const numbers = numberService(deps)
  const provisioning = trunkProvisioningService(deps)
  const purchases = purchaseService(deps)
  const sends = sendService(deps)
  const sms = smsService(deps)
  const silence = inactivityService(deps)
  const subscriptions = subscriptionService(deps)
  const triggers = async () => (await import('./automations/triggers.ts')).triggerService(deps)
  return {
    [purchaseJobKind]: (row) => purchases.resume(Number(row.subject)),
    [documentJobKind]: (row) => knowledge.process(row),
    [trunkCleanupJobKind]: (row) => provisioning.cleanUp(Number(row.subject)),
    [sendJobKind]: (row) => sends.resume(Number(row.subject)),
    [smsJobKind]: (row) => sms.resume(Number(row.subject)),
    [callJobKind]: (row) => calls.resume(row),
    [campaignDeletionJobKind]: (row) => campaigns.sweep(Number(row.subject)),
    [campaignDispatchJobKind]: (row) => campaignDispatcher(deps).dispatch(Number(row.subject)),
    [fallbackContactJobKind]: (row) => campaignMessages(deps).sendFallback(Number(row.subject)),
    [runJobKind]: { handleBatch: async (rows) => (await deps.runner()).resume(rows.map((row) => row.subject)) },
    [answerJobKind]: (row) => inbound.answer(Number(row.subject)),
    [senderSyncJobKind]: (row) => channelSyncService(deps).syncSenders(row),
    [templateSyncJobKind]: (row) => channelSyncService(deps).syncTemplates(row),
    [extractionJobKind]: (row) => extractionService(deps).extract(row),
    [inactivityJobKind]: (row) => silence.checkInactivity(Number(row.subject)),
    [eventJobKind]: (row) => events.dispatch(Number(row.subject)),
    [deliveryJobKind]: { handleBatch: async (rows) => (await deps.deliverer()).start(rows) },
    [scheduleTriggerJobKind]: async (row) => (await triggers()).runSchedule(row.subject, row.due_at),
    [pollTriggerJobKind]: async (row) => (await triggers()).pollAutomation(row.subject),
    subscription: (row) => subscriptions.renew(Number(row.subject), row.id, row.attempts > 0),
    release: (row) => numbers.finishRelease(row.account_id, Number(row.subject)),
  }
}
