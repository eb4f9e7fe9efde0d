import type { BatchJobHandler, JobHandler } from '../../jobs/job-loop.ts'
import { runJobKind } from '../../store/automations/runs.ts'
import { inactivityJobKind } from '../../store/conversations/conversations.ts'
import { deliveryJobKind } from '../../store/deliveries/deliveries.ts'
import { purgeJobKind } from '../../store/runtime/purge-batches.ts'
import { pollTriggerJobKind, scheduleTriggerJobKind } from '../automations/triggers/trigger-activation.ts'
import { purchaseJobKind, purchaseService } from '../billing/purchase-service.ts'
import { subscriptionService } from '../billing/subscription-service.ts'
import { callJobKind, callService } from '../calls/call-service.ts'
import { campaignDispatcher } from '../campaigns/campaign-dispatcher.ts'
import { campaignMessages } from '../campaigns/campaign-messages.ts'
import { campaignDeletionJobKind, campaignHoursJobKind, campaignService } from '../campaigns/campaign-service.ts'
import { campaignDispatchJobKind, fallbackContactJobKind } from '../campaigns/lead-outcomes.ts'
import { waitingJobKind } from '../contacts/outside-hours.ts'
import { waitingContactService } from '../contacts/waiting-contact-service.ts'
import { inactivityService } from '../conversations/conversation-events.ts'
import { extractionJobKind, extractionService } from '../conversations/extraction.ts'
import { dispatchService } from '../deliveries/dispatch-service.ts'
import { eventJobKind } from '../deliveries/event-publisher.ts'
import { documentJobKind, knowledgeService } from '../knowledge/knowledge-service.ts'
import { channelSyncService, senderSyncJobKind, templateSyncJobKind } from '../messaging/channel-sync-service.ts'
import { answerJobKind, inboundMessageService } from '../messaging/inbound-message-service.ts'
import { sendJobKind, sendService } from '../messaging/send-service.ts'
import { smsJobKind, smsService } from '../messaging/sms-service.ts'
import { numberService } from '../numbers/number-service.ts'
import { trunkCleanupJobKind, trunkProvisioningService } from '../numbers/sip-trunks.ts'
import type { Deps } from './deps.ts'
import { purgeService } from './purge-service.ts'

/** Returns the handler of each kind of job. `subscription` and `release` are `subscriptionJobKind` and `releaseJobKind`. */
export function createJobHandlers(deps: Deps): Readonly<Record<string, JobHandler | BatchJobHandler>> {
  const calls = callService(deps)
  const campaigns = campaignService(deps)
  const events = dispatchService(deps)
  const inbound = inboundMessageService(deps)
  const knowledge = knowledgeService(deps)
  const numbers = numberService(deps)
  const provisioning = trunkProvisioningService(deps)
  const purges = purgeService(deps)
  const purchases = purchaseService(deps)
  const sends = sendService(deps)
  const sms = smsService(deps)
  const silence = inactivityService(deps)
  const subscriptions = subscriptionService(deps)
  const triggers = async () =>
    (await import('../automations/triggers/timed-trigger-service.ts')).timedTriggerService(deps)
  return {
    [purchaseJobKind]: (row) => purchases.resume(row),
    [documentJobKind]: (row) => knowledge.process(row),
    [trunkCleanupJobKind]: (row) => provisioning.cleanUp(row),
    [sendJobKind]: (row) => sends.resume(row),
    [smsJobKind]: (row) => sms.resume(row),
    [callJobKind]: (row) => calls.resume(row),
    [campaignDeletionJobKind]: (row) => campaigns.sweep(row.account_id, Number(row.subject)),
    [campaignHoursJobKind]: (row) => campaigns.reopen(row.account_id, Number(row.subject)),
    [campaignDispatchJobKind]: (row) => campaignDispatcher(deps).dispatch(row),
    [fallbackContactJobKind]: (row) => campaignMessages(deps).sendFallback(row),
    [runJobKind]: {
      handleBatch: async (rows) =>
        (await deps.runner()).resume(rows.map(({ account_id: account, subject: id }) => ({ id, account }))),
    },
    [waitingJobKind]: (row) => waitingContactService(deps).release(row),
    [answerJobKind]: (row) => inbound.answer(row),
    [senderSyncJobKind]: (row) => channelSyncService(deps).syncSenders(row),
    [templateSyncJobKind]: (row) => channelSyncService(deps).syncTemplates(row),
    [extractionJobKind]: (row) => extractionService(deps).extract(row),
    [inactivityJobKind]: (row) => silence.checkInactivity(row),
    [eventJobKind]: (row) => events.dispatch(row),
    [deliveryJobKind]: { handleBatch: async (rows) => (await deps.events()).start(rows) },
    [scheduleTriggerJobKind]: async (row) => (await triggers()).runSchedule(row),
    [pollTriggerJobKind]: async (row) => (await triggers()).pollAutomation(row),
    [purgeJobKind]: (row) => purges.run(row),
    subscription: (row) => subscriptions.renew(row),
    release: (row) => numbers.finishRelease(row.account_id, Number(row.subject)),
  }
}
