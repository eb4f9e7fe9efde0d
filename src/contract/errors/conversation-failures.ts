import type { FailureKind } from './failures.ts'

const topUpHint = 'Nothing was charged. Top up the balance, then try again.'

/** Errors about chats and assistant replies. */
export const conversationFailures = {
  'conversations.not_found': {
    status: 404,
    envelope: 'conversation',
    text: 'Conversation not found',
    exit: 'not_found',
  },
  'conversations.assistant_not_found': {
    status: 404,
    envelope: 'conversation',
    text: 'Assistant not found',
    exit: 'not_found',
  },
  'conversations.insufficient_balance': {
    status: 400,
    envelope: 'conversation',
    text: 'Insufficient balance. Please top up your account.',
    exit: 'payment',
    hint: topUpHint,
  },
  'conversations.failed': {
    status: 400,
    envelope: 'conversation',
    text: 'Failed to process message: {details}',
    exit: 'platform',
    hint: 'Nothing was charged. Try again.',
  },
  // The automation endpoints have a different text for a missing key.
  'conversations.unauthorized': {
    status: 401,
    envelope: 'error',
    text: 'Unauthorized',
    exit: 'auth',
    hint: 'Sign in with a valid API key: parley login. Or set PARLEY_API_KEY.',
  },

  'replies.assistant_not_found': {
    status: 404,
    envelope: 'messaging',
    text: 'Assistant not found',
    exit: 'not_found',
    code: 'ASSISTANT_NOT_FOUND',
  },
  'replies.insufficient_balance': {
    status: 402,
    envelope: 'messaging',
    text: 'Insufficient balance. Please top up your account.',
    exit: 'payment',
    code: 'INSUFFICIENT_BALANCE',
    hint: topUpHint,
  },
  'replies.failed': {
    status: 422,
    envelope: 'messaging',
    text: 'Failed to process message: {details}',
    exit: 'platform',
    code: 'UNKNOWN_ERROR',
    hint: 'Nothing was charged. Try again.',
  },
} as const satisfies Record<string, FailureKind>
