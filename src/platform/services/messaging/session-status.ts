import type { SessionStatus } from '../../../contract/resources/message-records.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { MessagingSession } from './messaging-service.ts'

const sessionMessage = (session: MessagingSession): string => {
  if (session.isOpen) return 'The 24-hour messaging window is open: messages without a template can be sent.'
  if (session.until !== null)
    return 'The 24-hour messaging window has closed. Send a template message to open it again.'
  return 'There is no open messaging window with this recipient. Send a template message first.'
}

/** Returns the state of a window as the API reports it, in responses and in refusals. */
export const toSessionStatus = (session: MessagingSession): SessionStatus => ({
  is_open: session.isOpen,
  can_send_freeform: session.isOpen,
  requires_template: !session.isOpen,
  message: sessionMessage(session),
  ...(session.until !== null &&
    (session.isOpen
      ? { minutes_remaining: session.minutes, expires_at: toIsoMicros(session.until) }
      : { expired_at: toIsoMicros(session.until) })),
})
