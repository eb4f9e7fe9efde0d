import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { aliasesOf } from './verb-aliases.ts'

const { list, get, create, delete: remove } = aliasesOf

/** Commands for knowledge bases and their documents. */
export const knowledge: Noun = {
  summary: 'Knowledge bases and their documents',
  verbs: {
    list: { ...list, load: async () => (await import('../commands/knowledge/list.ts')).list },
    get: { ...get, load: async () => (await import('../commands/knowledge/get.ts')).get },
    create: { ...create, load: async () => (await import('../commands/knowledge/create.ts')).create },
    update: { load: async () => (await import('../commands/knowledge/update.ts')).update },
    delete: { ...remove, load: async () => (await import('../commands/knowledge/delete.ts')).remove },
    search: { load: async () => (await import('../commands/knowledge/search.ts')).search },
    documents: {
      summary: 'Documents of a knowledge base',
      aliases: nounAliases.documents,
      verbs: {
        list: { ...list, load: async () => (await import('../commands/knowledge/documents/list.ts')).list },
        get: { ...get, load: async () => (await import('../commands/knowledge/documents/get.ts')).get },
        create: { ...create, load: async () => (await import('../commands/knowledge/documents/add.ts')).add },
        update: { load: async () => (await import('../commands/knowledge/documents/update.ts')).update },
        delete: { ...remove, load: async () => (await import('../commands/knowledge/documents/delete.ts')).remove },
      },
    },
  },
}
