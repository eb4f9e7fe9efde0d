import type { FailureKind } from './failures.ts'

/** Errors of the control interface about events, deliveries and simulations. All of them are assumed. */
export const eventFailures = {
  'deliveries.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Delivery not found',
    exit: 'not_found',
    hint: 'List them: parley server deliveries list.',
  },
  'deliveries.webhook_disabled': {
    status: 409,
    envelope: 'message',
    text: 'The webhook of this delivery is disabled. Nothing was sent.',
    exit: 'conflict',
    hint: 'Enable the webhook, or send a copy with --url.',
  },
  'nodes.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Server not found',
    exit: 'not_found',
    hint: 'List them: parley server nodes.',
  },
  'inspector.unavailable': {
    status: 409,
    envelope: 'message',
    text: 'This platform has no inspector.',
    exit: 'conflict',
    hint: 'Start a server on a loopback address, or with --ui-public: parley server start.',
  },
  'webhooks.sender_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Sender not found',
    exit: 'not_found',
    hint: 'List them: parley messaging senders --status all.',
  },
  'clock.nothing_due': {
    status: 409,
    envelope: 'message',
    text: 'No job of this kind is scheduled.',
    exit: 'conflict',
    hint: 'Pass a time such as 2027-06-01T09:00:00Z, or the kind of a scheduled job.',
  },
  'clock.too_many_runs': {
    status: 422,
    envelope: 'message',
    text: 'Advancing this far would start more than {limit} scheduled runs.',
    exit: 'rejected',
    hint: 'Advance in smaller steps, or pass --coalesce to start one run for each schedule.',
  },
  'simulate.not_found': {
    status: 404,
    envelope: 'message',
    text: 'This cannot be simulated: {resource} not found.',
    exit: 'not_found',
  },
  'simulate.impossible': {
    status: 409,
    envelope: 'message',
    text: 'This cannot be simulated: {why}',
    exit: 'conflict',
  },
} as const satisfies Readonly<Record<string, FailureKind>>
