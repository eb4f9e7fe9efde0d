import { asCode } from './commandline/as-code-tree.ts'
import { assistants } from './commandline/assistants-tree.ts'
import { automate } from './commandline/automate-tree.ts'
import { billing } from './commandline/billing-tree.ts'
import type { Command } from './commandline/command.ts'
import { commandsOf } from './commandline/commands-of.ts'
import { conversations } from './commandline/conversation-tree.ts'
import { knowledge } from './commandline/knowledge-tree.ts'
import { refs } from './commandline/refs-tree.ts'
import { server } from './commandline/server-tree.ts'
import { aliasesOf } from './commandline/verb-aliases.ts'
import { nounAliases } from './resources/noun-aliases.ts'

const fromKeys = commandsOf(() => import('./commands/keys/commands.ts'))
const fromTools = commandsOf(() => import('./commands/tools/commands.ts'))
const fromNumbers = commandsOf(() => import('./commands/numbers/commands.ts'))
const fromMessaging = commandsOf(() => import('./commands/messaging/commands.ts'))
const fromCalls = commandsOf(() => import('./commands/calls/commands.ts'))
const fromCampaigns = commandsOf(() => import('./commands/campaigns/commands.ts'))
const fromLeads = commandsOf(() => import('./commands/leads/commands.ts'))
const fromFolders = commandsOf(() => import('./commands/folders/commands.ts'))
const fromLabels = commandsOf(() => import('./commands/labels/commands.ts'))
const fromSipTrunks = commandsOf(() => import('./commands/sip-trunks/commands.ts'))
const fromProfile = commandsOf(() => import('./commands/profile/commands.ts'))
const fromEvents = commandsOf(() => import('./commands/events/commands.ts'))
const fromOps = commandsOf(() => import('./commands/ops/commands.ts'))
const fromHistory = commandsOf(() => import('./commands/history/commands.ts'))
const fromUi = commandsOf(() => import('./commands/ui/commands.ts'))

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
      list: { ...list, load: fromKeys('list') },
      get: { ...get, load: fromKeys('get') },
      create: { ...create, load: fromKeys('create') },
      delete: { ...remove, load: fromKeys('remove') },
    },
  },
  tools: {
    summary: 'Tools that assistants call during a conversation',
    aliases: nounAliases.tools,
    verbs: {
      list: { ...list, load: fromTools('list') },
      get: { ...get, load: fromTools('get') },
      create: { ...create, load: async () => (await import('./commands/tools/create.ts')).create },
      update: { load: async () => (await import('./commands/tools/update.ts')).update },
      test: { load: fromTools('test') },
      delete: { ...remove, load: fromTools('remove') },
    },
  },
  numbers: {
    summary: 'Search, buy, rename and release phone numbers',
    aliases: nounAliases.numbers,
    verbs: {
      search: { load: fromNumbers('search') },
      buy: { load: async () => (await import('./commands/numbers/buy.ts')).buy },
      list: { ...list, load: fromNumbers('list') },
      get: { ...get, load: fromNumbers('get') },
      update: { load: fromNumbers('update') },
      release: { load: fromNumbers('release') },
    },
  },
  messaging: {
    summary: 'Senders, templates and messages of the messaging channel',
    aliases: ['message', 'messages'],
    verbs: {
      senders: {
        aliases: nounAliases.senders,
        load: fromMessaging('senders'),
      },
      templates: {
        aliases: nounAliases.templates,
        load: fromMessaging('templates'),
      },
      assignments: { load: fromMessaging('assignments') },
      assign: { load: fromMessaging('assign') },
      list: { ...list, load: fromMessaging('list') },
      send: { load: async () => (await import('./commands/messaging/send.ts')).sendMessage },
      session: { load: fromMessaging('session') },
      sessions: { load: fromMessaging('sessions') },
    },
  },
  assistants,
  conversations,
  calls: {
    summary: 'Phone calls and their transcripts',
    aliases: nounAliases.calls,
    verbs: {
      list: { ...list, load: fromCalls('list') },
      get: { ...get, load: fromCalls('get') },
      start: { isLongRunning: true, load: fromCalls('start') },
      follow: { isLongRunning: true, load: fromCalls('follow') },
      stop: { load: fromCalls('stop') },
      'to-test': { load: fromCalls('toTest') },
      delete: { ...remove, load: fromCalls('remove') },
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
      list: { ...list, load: fromCampaigns('list') },
      get: { ...get, load: fromCampaigns('get') },
      create: { ...create, load: fromCampaigns('create') },
      update: { load: fromCampaigns('update') },
      start: { load: fromCampaigns('start') },
      stop: { load: fromCampaigns('stop') },
      delete: { ...remove, load: fromCampaigns('remove') },
    },
  },
  leads: {
    summary: 'Campaign contacts',
    aliases: nounAliases.leads,
    verbs: {
      list: { ...list, load: fromLeads('list') },
      get: { ...get, load: fromLeads('get') },
      create: { ...create, load: fromLeads('create') },
      import: { load: fromLeads('importLeads') },
      update: { load: fromLeads('update') },
      delete: { ...remove, load: fromLeads('remove') },
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
      list: { ...list, load: fromFolders('list') },
      create: { ...create, load: fromFolders('create') },
      update: { load: fromFolders('update') },
      delete: { ...remove, load: fromFolders('remove') },
    },
  },
  labels: {
    summary: 'Labels for assistants',
    aliases: nounAliases.labels,
    verbs: {
      list: { ...list, load: fromLabels('list') },
      create: { ...create, load: fromLabels('create') },
      update: { load: fromLabels('update') },
      delete: { ...remove, load: fromLabels('remove') },
    },
  },
  knowledge,
  'sip-trunks': {
    summary: 'Phone numbers and extensions of your SIP servers',
    aliases: nounAliases.sipTrunks,
    verbs: {
      list: { ...list, load: fromSipTrunks('list') },
      get: { ...get, load: fromSipTrunks('get') },
      create: { ...create, load: fromSipTrunks('create') },
      update: { load: fromSipTrunks('update') },
      delete: { ...remove, load: fromSipTrunks('remove') },
    },
  },
  profile: {
    summary: 'Platforms to connect to, and their API keys',
    aliases: ['profiles'],
    verbs: {
      list: { ...list, load: async () => (await import('./commands/profile/read.ts')).list },
      get: { ...get, load: fromProfile('show') },
      use: { load: fromProfile('use') },
      set: { load: async () => (await import('./commands/profile/set.ts')).set },
      delete: { ...remove, load: fromProfile('remove') },
    },
  },
  server,
  events: {
    summary: 'List, watch and trigger events of the local platform',
    aliases: ['event'],
    verbs: {
      list: { ...list, isLongRunning: true, load: fromEvents('list') },
      listen: { isLongRunning: true, load: fromEvents('listen') },
      fire: { load: fromEvents('fire') },
      replay: { load: async () => (await import('./commands/events/replay.ts')).replay },
    },
  },
  ops: {
    summary: 'Journal of purchases, paid messages and automation updates',
    aliases: ['op'],
    verbs: {
      list: { ...list, load: async () => (await import('./commands/ops/read.ts')).list },
      get: { ...get, load: fromOps('show') },
      reconcile: { load: fromOps('reconcile') },
      close: { load: fromOps('close') },
    },
  },
  billing,
  refs,
  history: {
    summary: 'Changes made by this CLI: compare and undo them',
    verbs: {
      list: { ...list, load: fromHistory('list') },
      get: { ...get, load: fromHistory('get') },
      diff: { load: fromHistory('diff') },
      undo: { load: async () => (await import('./commands/history/undo.ts')).undo },
    },
  },
  ui: { isLongRunning: true, load: fromUi('ui') },
  open: { isLongRunning: true, load: fromUi('open') },
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
