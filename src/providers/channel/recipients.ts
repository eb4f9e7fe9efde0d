/** What the channel answers when it will not deliver: its own code, where it has one, and its words. */
export interface Refusal {
  readonly code: string | null
  readonly reason: string
}

export interface MagicRecipient {
  /** Null when the message is taken. */
  readonly refusal: Refusal | null
  /** The first delivery status of a message that is taken. */
  readonly status: string
  /** What it does, for documentation. */
  readonly sentence: string
}

const refused = (code: string | null, reason: string, sentence: string): MagicRecipient => ({ refusal: { code, reason }, status: 'failed', sentence })

/** Recipients with which every answer of the messaging channel can be had on demand. Only the local channel knows them. */
export const magicRecipients = {
  '+15005550100': { refusal: null, status: 'sent', sentence: 'Gets the message at once: its first status is `sent` instead of `queued`.' },
  '+15005550101': refused('63024', 'The recipient is not reachable on this channel.', 'Is not on the channel: `PROVIDER_ERROR_63024`, refunded.'),
  '+15005550102': refused('63049', 'The channel chose not to deliver this message.', 'Gets no more of such messages: `PROVIDER_ERROR_63049`, refunded.'),
  '+15005550103': refused(
    '63013',
    'The message breaks the rules of the channel.',
    'Makes the channel object to the message: `PROVIDER_ERROR_63013`, refunded.',
  ),
  '+15005550104': refused(null, 'The message could not be sent.', 'Fails for no stated reason: `UNKNOWN_ERROR`, refunded.'),
} as const satisfies Readonly<Record<string, MagicRecipient>>

/** What sending to the number does; undefined when it is an ordinary one. */
export const magicRecipient = (phoneNumber: string): MagicRecipient | undefined => (magicRecipients as Readonly<Record<string, MagicRecipient>>)[phoneNumber]
