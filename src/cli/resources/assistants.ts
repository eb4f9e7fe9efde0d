import type { ResourceDescriptor } from './resource-descriptor.ts'

export const assistants = {
  noun: 'assistants',
  singular: 'assistant',
  plural: 'assistants',
  showCommand: 'assistants get',
  list: 'assistants.list',
  parent: null,
  flags: ['--assistant'],
  argumentOf: [],
  writes: {
    'assistants.create': null,
    'assistants.update': 'update',
    'assistants.delete': 'delete',
    'assistants.setStatus': null,
    'assistants.enableConversationEndedWebhook': 'update',
    'assistants.disableConversationEndedWebhook': 'update',
    'assistants.enablePostCallWebhook': 'update',
    'assistants.disablePostCallWebhook': 'update',
    'assistants.enableInboundWebhook': 'update',
    'assistants.disableInboundWebhook': 'update',
  },
  sharedWrites: {},
  loadHistory: async () => {
    const { assistants: of } = await import('../../contract/resources/assistants.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
    }
  },
  loadTarget: async () => (await import('../commands/assistants/view.ts')).target,
  loadFileKind: async () => (await import('../as-code/kinds/assistants.ts')).assistants,
  readChecks: {},
} as const satisfies ResourceDescriptor
