/** Exports the local providers that are loaded together, when one of them is first called. */

export { localCrm } from '../integrations/local-crm.ts'
export { localSpreadsheets } from '../integrations/local-spreadsheets.ts'
export { localChannel } from '../messaging/local-channel.ts'
export { localMail, localSms } from '../messaging/local-messages.ts'
export { localCarrier } from '../telephony/local-carrier.ts'
export { localTelephony } from '../telephony/local-telephony.ts'
export { localVoice } from '../telephony/local-voice.ts'
