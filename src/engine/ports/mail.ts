import type { ConnectedResult, ConnectionAccess } from './connection-access.ts'
import type { Provider } from './provider.ts'

export interface Mail {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  readonly text?: string | undefined
  readonly html?: string | undefined
  readonly replyTo?: string | undefined
  readonly senderName?: string | undefined
}

/** Mail through a connected account. */
export interface MailProvider extends Provider {
  send(key: string, access: ConnectionAccess, mail: Mail): ConnectedResult<{ readonly id: string }>
}
