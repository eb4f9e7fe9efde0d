import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { aliasesOf } from './verb-aliases.ts'

const { list, get, create, delete: remove } = aliasesOf

/** Commands of assistants. */
export const assistants: Noun = {
  summary: 'Voice and chat assistants',
  aliases: nounAliases.assistants,
  verbs: {
    list: { ...list, load: async () => (await import('../commands/assistants/list.ts')).list },
    get: { ...get, load: async () => (await import('../commands/assistants/get.ts')).get },
    create: { ...create, load: async () => (await import('../commands/assistants/create.ts')).create },
    update: { load: async () => (await import('../commands/assistants/update.ts')).update },
    test: { load: async () => (await import('../commands/assistants/test.ts')).test },
    delete: { ...remove, load: async () => (await import('../commands/assistants/delete.ts')).remove },
    activate: { load: async () => (await import('../commands/assistants/activate.ts')).activate },
    deactivate: { load: async () => (await import('../commands/assistants/deactivate.ts')).deactivate },
    'enable-webhook': { load: async () => (await import('../commands/assistants/enable-webhook.ts')).enableWebhook },
    'disable-webhook': {
      load: async () => (await import('../commands/assistants/disable-webhook.ts')).disableWebhook,
    },
  },
}
