import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'
import { aliasesOf } from './verb-aliases.ts'

const fromConversations = commandsOf(() => import('../commands/conversations/commands.ts'))

const { list, get } = aliasesOf

/** Commands for conversations. */
export const conversations: Noun = {
  summary: 'Read, start and continue conversations',
  aliases: nounAliases.conversations,
  verbs: {
    list: { ...list, load: fromConversations('list') },
    get: { ...get, load: fromConversations('get') },
    start: { load: fromConversations('start') },
    search: { load: fromConversations('search') },
    export: { load: fromConversations('exportConversations') },
    send: { load: fromConversations('sendMessage') },
    'to-test': { load: fromConversations('toTest') },
    chat: { load: async () => (await import('../commands/conversations/chat.ts')).chat },
    'enable-ai': { load: fromConversations('enableAi') },
    'disable-ai': { load: fromConversations('disableAi') },
  },
}
