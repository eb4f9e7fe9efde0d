import { callBeforeAppointment, cancelOrReschedule, crmAppointments } from './appointment-templates.ts'
import { callbackOnRequest } from './callback-template.ts'
import { leadIntake, rowsToCampaign, rowsToMessages } from './lead-templates.ts'
import { callerLookup, midCallLookup } from './lookup-templates.ts'
import { conversationSummary, hotLeadAlert, transcriptEmail } from './mail-templates.ts'
import { messagingConfirmation, smsFollowUp } from './message-templates.ts'
import { crmNote, qualifiedToSpreadsheet } from './record-templates.ts'
import type { Template } from './template.ts'

/** All templates, in the order of the specification (section 4.20). */
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
