import { asCode } from './commandline/as-code-tree.ts'
import { assistants } from './commandline/assistants-tree.ts'
import { automate } from './commandline/automate-tree.ts'
import { billing } from './commandline/billing-tree.ts'
import type { Command } from './commandline/command.ts'
import { conversations } from './commandline/conversation-tree.ts'
import { knowledge } from './commandline/knowledge-tree.ts'
import { refs } from './commandline/refs-tree.ts'
import { server } from './commandline/server-tree.ts'
import { aliasesOf } from './commandline/verb-aliases.ts'
import { nounAliases } from './resources/noun-aliases.ts'

export interface Verb {
  readonly load: () => Promise<Command>
  readonly aliases?: readonly string[]
  /** Prints more than one response, or reads more than one. */
  readonly isLongRunning?: true
  /** Nested verbs: `server clock get`. */
  readonly verbs?: never
}

export interface Noun {
  readonly summary: string
  readonly aliases?: readonly string[]
  readonly verbs: Readonly<Record<string, Verb | Noun>>
  /** Verb used if the next word is not a verb: an older form of the command, `automate versions <id>`. */
  readonly fallback?: string
  readonly load?: never
}

export type Node = Verb | Noun

const { list, get, create, delete: remove } = aliasesOf

/** All commands, each loaded on use. Help, completions and the reference are derived from this table. */
export const tree: Readonly<Record<string, Node>> = {
  keys: {
    summary: 'API keys of the account',
    aliases: nounAliases.keys,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/keys/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/keys/get.ts')).get },
      create: { ...create, load: async () => (await import('./commands/keys/create.ts')).create },
      delete: { ...remove, load: async () => (await import('./commands/keys/delete.ts')).remove },
    },
  },
  tools: {
    summary: 'Tools that assistants call during a conversation',
    aliases: nounAliases.tools,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/tools/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/tools/get.ts')).get },
      create: { ...create, load: async () => (await import('./commands/tools/create.ts')).create },
      update: { load: async () => (await import('./commands/tools/update.ts')).update },
      test: { load: async () => (await import('./commands/tools/test.ts')).test },
      delete: { ...remove, load: async () => (await import('./commands/tools/delete.ts')).remove },
    },
  },
  numbers: {
    summary: 'Search, buy, rename and release phone numbers',
    aliases: nounAliases.numbers,
    verbs: {
      search: { load: async () => (await import('./commands/numbers/search.ts')).search },
      buy: { load: async () => (await import('./commands/numbers/buy.ts')).buy },
      list: { ...list, load: async () => (await import('./commands/numbers/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/numbers/get.ts')).get },
      update: { load: async () => (await import('./commands/numbers/update.ts')).update },
      release: { load: async () => (await import('./commands/numbers/release.ts')).release },
    },
  },
  messaging: {
    summary: 'Senders, templates and messages of the messaging channel',
    aliases: ['message', 'messages'],
    verbs: {
      senders: {
        aliases: nounAliases.senders,
        load: async () => (await import('./commands/messaging/senders.ts')).senders,
      },
      templates: {
        aliases: nounAliases.templates,
        load: async () => (await import('./commands/messaging/templates.ts')).templates,
      },
      assignments: { load: async () => (await import('./commands/messaging/assignments.ts')).assignments },
      assign: { load: async () => (await import('./commands/messaging/assign.ts')).assign },
      list: { ...list, load: async () => (await import('./commands/messaging/list.ts')).list },
      send: { load: async () => (await import('./commands/messaging/send.ts')).sendMessage },
      session: { load: async () => (await import('./commands/messaging/session.ts')).session },
      sessions: { load: async () => (await import('./commands/messaging/sessions.ts')).sessions },
    },
  },
  assistants,
  conversations,
  calls: {
    summary: 'Phone calls and their transcripts',
    aliases: nounAliases.calls,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/calls/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/calls/get.ts')).get },
      start: { isLongRunning: true, load: async () => (await import('./commands/calls/start.ts')).start },
      follow: { isLongRunning: true, load: async () => (await import('./commands/calls/follow.ts')).follow },
      stop: { load: async () => (await import('./commands/calls/stop.ts')).stop },
      'to-test': { load: async () => (await import('./commands/calls/to-test.ts')).toTest },
      delete: { ...remove, load: async () => (await import('./commands/calls/delete.ts')).remove },
    },
  },
  sms: {
    summary: 'SMS from your phone numbers',
    verbs: { send: { load: async () => (await import('./commands/sms/send.ts')).send } },
  },
  replies: {
    summary: 'Replies of assistants for other channels',
    aliases: ['reply'],
    verbs: { generate: { load: async () => (await import('./commands/replies/generate.ts')).generate } },
  },
  campaigns: {
    summary: 'Call and message campaigns',
    aliases: nounAliases.campaigns,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/campaigns/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/campaigns/get.ts')).get },
      create: { ...create, load: async () => (await import('./commands/campaigns/create.ts')).create },
      update: { load: async () => (await import('./commands/campaigns/update.ts')).update },
      start: { load: async () => (await import('./commands/campaigns/start.ts')).start },
      stop: { load: async () => (await import('./commands/campaigns/stop.ts')).stop },
      delete: { ...remove, load: async () => (await import('./commands/campaigns/delete.ts')).remove },
    },
  },
  leads: {
    summary: 'Campaign contacts',
    aliases: nounAliases.leads,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/leads/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/leads/get.ts')).get },
      create: { ...create, load: async () => (await import('./commands/leads/create.ts')).create },
      import: { load: async () => (await import('./commands/leads/import.ts')).importLeads },
      update: { load: async () => (await import('./commands/leads/update.ts')).update },
      delete: { ...remove, load: async () => (await import('./commands/leads/delete.ts')).remove },
    },
  },
  automate,
  models: {
    summary: 'Language models that assistants can use',
    aliases: nounAliases.models,
    verbs: { list: { ...list, load: async () => (await import('./commands/models/list.ts')).list } },
  },
  synthesizers: {
    summary: 'Text-to-speech providers',
    aliases: nounAliases.synthesizers,
    verbs: { list: { ...list, load: async () => (await import('./commands/synthesizers/list.ts')).list } },
  },
  transcribers: {
    summary: 'Speech-to-text providers',
    aliases: nounAliases.transcribers,
    verbs: { list: { ...list, load: async () => (await import('./commands/transcribers/list.ts')).list } },
  },
  voices: {
    summary: 'Voices that assistants can use',
    aliases: nounAliases.voices,
    verbs: { list: { ...list, load: async () => (await import('./commands/voices/list.ts')).list } },
  },
  languages: {
    summary: 'Languages that assistants can speak',
    aliases: nounAliases.languages,
    verbs: { list: { ...list, load: async () => (await import('./commands/languages/list.ts')).list } },
  },
  folders: {
    summary: 'Folders for assistants',
    aliases: nounAliases.folders,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/folders/list.ts')).list },
      create: { ...create, load: async () => (await import('./commands/folders/create.ts')).create },
      update: { load: async () => (await import('./commands/folders/update.ts')).update },
      delete: { ...remove, load: async () => (await import('./commands/folders/delete.ts')).remove },
    },
  },
  labels: {
    summary: 'Labels for assistants',
    aliases: nounAliases.labels,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/labels/list.ts')).list },
      create: { ...create, load: async () => (await import('./commands/labels/create.ts')).create },
      update: { load: async () => (await import('./commands/labels/update.ts')).update },
      delete: { ...remove, load: async () => (await import('./commands/labels/delete.ts')).remove },
    },
  },
  knowledge,
  'sip-trunks': {
    summary: 'Phone numbers and extensions of your SIP servers',
    aliases: nounAliases.sipTrunks,
    verbs: {
      list: { ...list, load: async () => (await import('./commands/sip-trunks/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/sip-trunks/get.ts')).get },
      create: { ...create, load: async () => (await import('./commands/sip-trunks/create.ts')).create },
      update: { load: async () => (await import('./commands/sip-trunks/update.ts')).update },
      delete: { ...remove, load: async () => (await import('./commands/sip-trunks/delete.ts')).remove },
    },
  },
  profile: {
    summary: 'Platforms to connect to, and their API keys',
    aliases: ['profiles'],
    verbs: {
      list: { ...list, load: async () => (await import('./commands/profile/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/profile/show.ts')).show },
      use: { load: async () => (await import('./commands/profile/use.ts')).use },
      set: { load: async () => (await import('./commands/profile/set.ts')).set },
      delete: { ...remove, load: async () => (await import('./commands/profile/remove.ts')).remove },
    },
  },
  server,
  events: {
    summary: 'List, watch and trigger events of the local platform',
    aliases: ['event'],
    verbs: {
      list: { ...list, isLongRunning: true, load: async () => (await import('./commands/events/list.ts')).list },
      listen: { isLongRunning: true, load: async () => (await import('./commands/events/listen.ts')).listen },
      fire: { load: async () => (await import('./commands/events/fire.ts')).fire },
      replay: { load: async () => (await import('./commands/events/replay.ts')).replay },
    },
  },
  ops: {
    summary: 'Journal of purchases, paid messages and automation updates',
    aliases: ['op'],
    verbs: {
      list: { ...list, load: async () => (await import('./commands/ops/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/ops/show.ts')).show },
      reconcile: { load: async () => (await import('./commands/ops/reconcile.ts')).reconcile },
      close: { load: async () => (await import('./commands/ops/close.ts')).close },
    },
  },
  billing,
  refs,
  history: {
    summary: 'Changes made by this CLI: compare and undo them',
    verbs: {
      list: { ...list, load: async () => (await import('./commands/history/list.ts')).list },
      get: { ...get, load: async () => (await import('./commands/history/get.ts')).get },
      diff: { load: async () => (await import('./commands/history/diff.ts')).diff },
      undo: { load: async () => (await import('./commands/history/undo.ts')).undo },
    },
  },
  ui: { isLongRunning: true, load: async () => (await import('./commands/ui/ui.ts')).ui },
  open: { isLongRunning: true, load: async () => (await import('./commands/ui/open.ts')).open },
  login: { load: async () => (await import('./commands/login.ts')).login },
  doctor: { load: async () => (await import('./commands/doctor.ts')).doctor },
  whoami: { load: async () => (await import('./commands/whoami.ts')).whoami },
  api: { load: async () => (await import('./commands/api.ts')).api },
  schema: { load: async () => (await import('./commands/schema.ts')).schema },
  commands: { load: async () => (await import('./commands/commands.ts')).commands },
  ...asCode,
  demo: { load: async () => (await import('./commands/demo.ts')).demo },
  completion: { load: async () => (await import('./commands/completion.ts')).completion },
  help: { load: async () => (await import('./commands/help.ts')).help },
}

/** Returns the node for a word, by name or alias. */
export function findChild(
  nodes: Readonly<Record<string, Node>>,
  word: string,
): readonly [name: string, node: Node] | undefined {
  if (Object.hasOwn(nodes, word)) return [word, nodes[word] as Node]
  return Object.entries(nodes).find(([, it]) => it.aliases?.includes(word))
}
