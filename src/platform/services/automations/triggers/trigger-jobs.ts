/** Kind of the job that runs a schedule. The subject is the automation's id. */
export const scheduleTriggerJobKind = 'automation.schedule'
/** Kind of the job that polls a service for new items. The subject is the automation's id. */
export const pollTriggerJobKind = 'automation.poll'
