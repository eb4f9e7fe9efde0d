import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { aliasesOf } from './verb-aliases.ts'

const { list, get } = aliasesOf

/** Commands for conversations. */
export const conversations: Noun = {
  summary: 'Read, start and continue conversations',
  aliases: nounAliases.conversations,
  verbs: {
    list: { ...list, load: async () => (await import('../commands/conversations/list.ts')).list },
    get: { ...get, load: async () => (await import('../commands/conversations/get.ts')).get },
    start: { load: async () => (await import('../commands/conversations/start.ts')).start },
    search: { load: async () => (await import('../commands/conversations/search.ts')).search },
    export: { load: async () => (await import('../commands/conversations/export.ts')).exportConversations },
    send: { load: async () => (await import('../commands/conversations/send.ts')).sendMessage },
    'to-test': { load: async () => (await import('../commands/conversations/to-test.ts')).toTest },
    chat: { load: async () => (await import('../commands/conversations/chat.ts')).chat },
    'enable-ai': { load: async () => (await import('../commands/conversations/enable-ai.ts')).enableAi },
    'disable-ai': { load: async () => (await import('../commands/conversations/disable-ai.ts')).disableAi },
  },
}
