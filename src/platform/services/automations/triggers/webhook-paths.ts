/** Path prefix of webhook addresses. */
export const webhooksPath = '/automate/api/v1/webhooks/'
/** Path prefix of the addresses that resume waiting runs. */
export const callbacksPath = '/automate/api/v1/flow-runs/'

/** Returns the path of an automation's webhook. */
export const webhookPath = (automation: string): string => `${webhooksPath}${automation}`
/** Returns the path that ends a wait. */
export const callbackPath = (wait: string): string => `${callbacksPath}${encodeURIComponent(wait)}`

/** Returns the path of the links that answer an approval of a run. */
export const approvalPath = (run: string): string => `${callbacksPath}${run}/resume`
