import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'
import { aliasesOf } from './verb-aliases.ts'

const fromKnowledge = commandsOf(() => import('../commands/knowledge/commands.ts'))
const fromDocuments = commandsOf(() => import('../commands/knowledge/documents/commands.ts'))

const { list, get, create, delete: remove } = aliasesOf

/** Commands for knowledge bases and their documents. */
export const knowledge: Noun = {
  summary: 'Knowledge bases and their documents',
  verbs: {
    list: { ...list, load: fromKnowledge('list') },
    get: { ...get, load: fromKnowledge('get') },
    create: { ...create, load: fromKnowledge('create') },
    update: { load: fromKnowledge('update') },
    delete: { ...remove, load: fromKnowledge('remove') },
    search: { load: fromKnowledge('search') },
    documents: {
      summary: 'Documents of a knowledge base',
      aliases: nounAliases.documents,
      verbs: {
        list: { ...list, load: fromDocuments('list') },
        get: { ...get, load: fromDocuments('get') },
        create: { ...create, load: fromDocuments('add') },
        update: { load: fromDocuments('update') },
        delete: { ...remove, load: fromDocuments('remove') },
      },
    },
  },
}
