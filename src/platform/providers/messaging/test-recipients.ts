/** The channel's refusal to deliver, with its error code if it has one. */
export interface ChannelRefusal {
  readonly code: string | null
  readonly reason: string
}

/** A test recipient of the messaging channel. */
interface TestRecipient {
  /** The channel's refusal; null when the message is accepted. */
  readonly refusal: ChannelRefusal | null
  /** The first delivery status of an accepted message. */
  readonly status: string
  /** What the recipient does, for the documentation. */
  readonly sentence: string
}

const refusedRecipient = (code: string | null, reason: string, sentence: string): TestRecipient => ({
  refusal: { code, reason },
  status: 'failed',
  sentence,
})

/**
 * Test recipients that produce every outcome of the messaging channel. Only the local channel knows them. Documentation
 * and tests of users have them: they are added, not changed.
 */
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

/** Returns what sending to a number does; undefined when it is not a test recipient. */
export const findTestRecipient = (phoneNumber: string): TestRecipient | undefined =>
  (testRecipients as Readonly<Record<string, TestRecipient>>)[phoneNumber]
