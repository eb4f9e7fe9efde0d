import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'
import { aliasesOf } from './verb-aliases.ts'

const fromAssistants = commandsOf(() => import('../commands/assistants/commands.ts'))

const { list, get, create, delete: remove } = aliasesOf

/** Commands of assistants. */
export const assistants: Noun = {
  summary: 'Voice and chat assistants',
  aliases: nounAliases.assistants,
  verbs: {
    list: { ...list, load: fromAssistants('list') },
    get: { ...get, load: fromAssistants('get') },
    create: { ...create, load: async () => (await import('../commands/assistants/create.ts')).create },
    update: { load: async () => (await import('../commands/assistants/update.ts')).update },
    test: { load: async () => (await import('../commands/assistants/test.ts')).test },
    delete: { ...remove, load: fromAssistants('remove') },
    activate: { load: fromAssistants('activate') },
    deactivate: { load: fromAssistants('deactivate') },
    'enable-webhook': { load: fromAssistants('enableWebhook') },
    'disable-webhook': {
      load: fromAssistants('disableWebhook'),
    },
  },
}
