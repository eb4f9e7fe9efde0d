import type { Assistant } from '../../../contract/resources/assistants.ts'
import type { Resource } from '../../program/resources/resource.ts'

/** Assistants, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const assistants = {
  noun: 'assistants',
  singular: 'assistant',
  plural: 'assistants',
  showCommand: 'assistants get',
  list: 'assistants.list',
  parent: null,
  flags: ['--assistant', '--assistant-id'],
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
  naturalKey: ['name'],
  writtenFields: {
    'assistants.enableConversationEndedWebhook': (it) => ({ conversation_ended_webhook_url: it.webhook_url }),
    'assistants.disableConversationEndedWebhook': () => ({ conversation_ended_webhook_url: null }),
    'assistants.enablePostCallWebhook': (it) => ({ webhook_url: it.webhook_url, is_webhook_active: true }),
    'assistants.disablePostCallWebhook': () => ({ webhook_url: null, is_webhook_active: false }),
    'assistants.enableInboundWebhook': (it) => ({ inbound_webhook_url: it.webhook_url }),
    'assistants.disableInboundWebhook': () => ({ inbound_webhook_url: null }),
  },
  loadHistory: async () => {
    const { assistants: of } = await import('../../../contract/resources/assistants.ts')
    const { maskAssistant } = await import('../../program/secrets/assistant-credentials.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      definitionFields: ['status'],
      separateWrites: {
        inbound_webhook_url: (url, id) =>
          typeof url === 'string'
            ? [of.enableInboundWebhook, { assistant_id: id, webhook_url: url }]
            : [of.disableInboundWebhook, { assistant_id: id }],
      },
      fieldCommands: {
        inbound_webhook_url: {
          verb: 'enable-webhook',
          flagsFor: (url) => [
            ['--event', 'inbound'],
            ['--webhook-url', String(url)],
          ],
        },
      },
      modeField: 'mode',
      toShown: maskAssistant,
      async confirmDeletion(context, live, confirmed) {
        const { confirmAssistantDeletion } = await import('./confirm-deletion.ts')
        return confirmAssistantDeletion(context, live as Assistant, { confirmed })
      },
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).assistants,
  isActive: ({ status }: { readonly status?: unknown }) => status !== 'inactive',
  endpointChecks: {
    'replies.generate': { ownedReference: 'assistant_id' },
    'assistants.enableConversationEndedWebhook': { ownedReference: 'assistant_id' },
    'assistants.disableConversationEndedWebhook': { ownedReference: 'assistant_id' },
    'assistants.enablePostCallWebhook': { ownedReference: 'assistant_id' },
    'assistants.disablePostCallWebhook': { ownedReference: 'assistant_id' },
    'assistants.enableInboundWebhook': { ownedReference: 'assistant_id' },
    'assistants.disableInboundWebhook': { ownedReference: 'assistant_id' },
  },
} as const satisfies Resource
