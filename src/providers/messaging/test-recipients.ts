/** What the channel answers when it will not deliver: its own code, where it has one, and its words. */
export interface ChannelRefusal {
  readonly code: string | null
  readonly reason: string
}

export interface TestRecipient {
  /** Null when the message is taken. */
  readonly refusal: ChannelRefusal | null
  /** The first delivery status of a message that is taken. */
  readonly status: string
  /** What it does, for documentation. */
  readonly sentence: string
}

const refusedRecipient = (code: string | null, reason: string, sentence: string): TestRecipient => ({
  refusal: { code, reason },
  status: 'failed',
  sentence,
})

/** Recipients with which every answer of the messaging channel can be had on demand. Only the local channel knows them. */
export const testRecipients = {
  '+15005550100': {
    refusal: null,
    status: 'sent',
    sentence: 'Receives the message immediately. Its first status is `sent` instead of `queued`.',
  },
  '+15005550101': refusedRecipient(
    '63024',
    'The recipient is not reachable on this channel.',
    'Is not on the channel: `PROVIDER_ERROR_63024`, refunded.',
  ),
  '+15005550102': refusedRecipient(
    '63049',
    'The channel chose not to deliver this message.',
    'The channel does not deliver the message: `PROVIDER_ERROR_63049`, refunded.',
  ),
  '+15005550103': refusedRecipient(
    '63013',
    'The message breaks the rules of the channel.',
    'The channel rejects the message: `PROVIDER_ERROR_63013`, refunded.',
  ),
  '+15005550104': refusedRecipient(
    null,
    'The message could not be sent.',
    'Fails without a reason: `UNKNOWN_ERROR`, refunded.',
  ),
} as const satisfies Readonly<Record<string, TestRecipient>>

/** What sending to the number does; undefined when it is an ordinary one. */
export const findTestRecipient = (phoneNumber: string): TestRecipient | undefined =>
  (testRecipients as Readonly<Record<string, TestRecipient>>)[phoneNumber]
