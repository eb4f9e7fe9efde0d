import { callBeforeAppointment, cancelOrReschedule, crmAppointments } from './appointments.ts'
import { leadIntake, rowsToCampaign, rowsToMessages } from './leads.ts'
import { callerLookup, midCallLookup } from './lookups.ts'
import { callbackOnRequest } from './post-call-callback.ts'
import { conversationSummary, hotLeadAlert, transcriptEmail } from './post-call-mail.ts'
import { messagingConfirmation, smsFollowUp } from './post-call-messages.ts'
import { crmNote, qualifiedToSpreadsheet } from './post-call-records.ts'
import type { Template } from './template.ts'

/** Every template, in the order of the specification (section 4.20). */
export const templates: readonly Template[] = [
  qualifiedToSpreadsheet,
  transcriptEmail,
  hotLeadAlert,
  smsFollowUp,
  messagingConfirmation,
  crmNote,
  callbackOnRequest,
  callerLookup,
  conversationSummary,
  leadIntake,
  midCallLookup,
  rowsToCampaign,
  rowsToMessages,
  callBeforeAppointment,
  cancelOrReschedule,
  crmAppointments,
]
