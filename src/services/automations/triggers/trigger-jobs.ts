/** Kinds of the due work of schedules, and of services that are asked for news. Its subject is the automation's id. */
export const scheduleTriggerJobKind = 'automation.schedule'
export const pollTriggerJobKind = 'automation.poll'
