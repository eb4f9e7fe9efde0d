import type { ConnectedResult, ConnectionAccess } from './integrations.ts'
import type { Provider } from './provider.ts'

/** A message for the channel: the final text, and the template it was made from. */
export interface ChannelMessage {
  /** Phone numbers in E.164. */
  readonly sender: string
  readonly recipient: string
  /** Empty for media without a caption. */
  readonly body: string
  /** The template and its values in order; absent inside the 24-hour window. */
  readonly template?: { readonly name: string; readonly language: string; readonly placeholders: readonly string[] }
  readonly media?: { readonly url: string; readonly filename?: string | undefined }
}

/** The channel's first response: an id and a delivery status, or a refusal with its code if it has one. */
export type SendResult =
  | { readonly ok: true; readonly sid: string; readonly status: string }
  | { readonly ok: false; readonly code: string | null; readonly reason: string }

/** What the channel reports about a sender. A `messagingLimit` of null means no limit. */
interface SenderStatus {
  readonly status?: 'online' | 'offline'
  readonly qualityRating?: string
  readonly messagingLimit?: number | null
}

/** The messaging channel. Sending is idempotent by key, as above; reading changes nothing. */
export interface MessagingChannel extends Provider {
  send(key: string, message: ChannelMessage): Promise<SendResult>
  /** Returns the status of a sender by its number in E.164. */
  sender(phone: string): Promise<SenderStatus>
  /** Returns the templates of a sender that the channel reports. */
  templates(
    phone: string,
  ): Promise<readonly { readonly name: string; readonly language: string; readonly status: string }[]>
}

/** The SMS carrier. Sending is idempotent by key, as above. */
export interface SmsProvider extends Provider {
  send(key: string, message: { readonly from: string; readonly to: string; readonly body: string }): Promise<SendResult>
}

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
