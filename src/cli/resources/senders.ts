import type { ResourceDescriptor } from './resource-descriptor.ts'

export const senders = {
  noun: 'senders',
  singular: 'sender',
  plural: 'senders',
  showCommand: 'messaging senders',
  list: 'messaging.senders',
  parent: null,
  flags: ['--sender', '--fallback-messaging-sender-id'],
  listQueries: () => [{ status: 'all' }],
  argumentOf: ['messaging templates'],
  writes: {},
  sharedWrites: {},
  loadHistory: null,
  loadTarget: async () => (await import('../commands/messaging/view.ts')).senderTarget,
  loadFileKind: null,
  endpointChecks: {
    'messaging.senders': { query: { status: 'all' }, order: { by: 'id' } },
    'messaging.session': {
      query: { recipient_phone: '+15005550006' },
      parameters: { sender_id: 'messaging.senders' },
    },
    'messaging.send': { ownedReference: 'sender_id' },
    'messaging.sendFreeform': { ownedReference: 'sender_id' },
  },
} as const satisfies ResourceDescriptor
