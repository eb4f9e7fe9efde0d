import type { Resource } from '../../program/resources/resource.ts'

/** Senders, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const senders = {
  noun: 'senders',
  singular: 'sender',
  plural: 'senders',
  showCommand: 'messaging senders',
  list: 'messaging.senders',
  parent: null,
  flags: ['--sender', '--fallback-messaging-sender-id'],
  listQueries: () => [{ status: 'all' }],
  argumentOf: ['messaging templates', 'messaging assign'],
  writes: { 'messaging.updateAssignment': 'update' },
  sharedWrites: {},
  naturalKey: null,
  loadHistory: async () => {
    const { messaging: of } = await import('../../../contract/resources/messaging.ts')
    return {
      readers: [of.listAssignments],
      update: of.updateAssignment,
      listCommand: 'messaging assignments',
    }
  },
  loadTarget: async () => (await import('./view.ts')).senderTarget,
  loadFiles: async () => (await import('./sender-files.ts')).senders,
  isActive: ({ status }: { readonly status?: unknown }) => status === 'online',
  endpointChecks: {
    'messaging.senders': { query: { status: 'all' }, order: { by: 'id' } },
    'messaging.listAssignments': { order: { by: 'id' } },
    'messaging.updateAssignment': { ownedReference: 'assistant_id', parameters: { id: 'messaging.senders' } },
    'messaging.session': {
      query: { recipient_phone: '+15005550006' },
      parameters: { sender_id: 'messaging.senders' },
    },
    'messaging.send': { ownedReference: 'sender_id' },
    'messaging.sendFreeform': { ownedReference: 'sender_id' },
  },
} as const satisfies Resource
