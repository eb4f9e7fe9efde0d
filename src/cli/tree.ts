import type { ResourceKind } from '../contract/references/resource-references.ts'
import type { Command } from './program/commandline/command.ts'
import { type Node, type Noun, registerCommands, type Verb } from './program/commandline/command-tree.ts'
import { nounAliases } from './program/resources/noun-aliases.ts'

/** Aliases of verbs, the same for every noun. */
const list = { aliases: ['ls'] } as const
const get = { aliases: ['show', 'view', 'describe'] } as const
const create = { aliases: ['add', 'new'] } as const
const remove = { aliases: ['rm', 'remove'] } as const

/** Aliases and verb of the usual commands, by their export; the verb of others is the export in kebab case. */
const usual: Readonly<Record<string, { readonly aliases: readonly string[]; readonly verb?: string }>> = {
  list,
  get,
  create,
  remove: { ...remove, verb: 'delete' },
}

/** Returns the commands of a module, by their exports. The module is loaded when one of its commands is needed. */
const commandsOf = <Module>(importModule: () => Promise<Module>) => {
  const load =
    <Name extends keyof Module>(name: Name): (() => Promise<Module[Name] & Command>) =>
    async () =>
      (await importModule())[name] as Module[Name] & Command
  return {
    load,
    verbs: (...names: readonly (keyof Module & string)[]): Readonly<Record<string, Verb>> =>
      Object.fromEntries(
        names.map((name) => {
          const { verb = name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`), ...aliases } = usual[name] ?? {}
          return [verb, { ...aliases, load: load(name) }]
        }),
      ),
  }
}

/** Commands that apply resources as files, or from one profile to another. */
const asCode: Readonly<Record<string, Verb>> = {
  pull: { load: async () => (await import('./features/as-code/pull.ts')).pull },
  diff: { load: async () => (await import('./features/as-code/diff.ts')).diff },
  push: { load: async () => (await import('./features/as-code/push.ts')).push },
  promote: { load: async () => (await import('./features/as-code/promotion/promote.ts')).promote },
}

const fromAssistants = commandsOf(() => import('./nouns/assistants/commands.ts'))

/** Commands of assistants. */
const assistants: Noun = {
  summary: 'Voice and chat assistants',
  aliases: nounAliases.assistants,
  verbs: {
    ...fromAssistants.verbs('list', 'get'),
    create: { ...create, load: async () => (await import('./nouns/assistants/create.ts')).create },
    update: { load: async () => (await import('./nouns/assistants/update.ts')).update },
    test: { load: async () => (await import('./features/scenario-tests/assistants/test-command.ts')).test },
    chat: { load: async () => (await import('./features/assistant-chat/chat-command.ts')).chat },
    ...fromAssistants.verbs('remove', 'activate', 'deactivate', 'enableWebhook', 'disableWebhook'),
  },
}

const fromReadAutomate = commandsOf(() => import('./features/automations/commands/read.ts'))
const fromAutomate = commandsOf(() => import('./features/automations/commands/commands.ts'))
const fromVersions = commandsOf(() => import('./features/automations/commands/versions/commands.ts'))
const fromRuns = commandsOf(() => import('./features/automations/commands/runs/cancel-and-rerun.ts'))

/** Commands about automations. */
const automate: Noun = {
  summary: 'Multi-step workflows with triggers, tests and versions',
  aliases: nounAliases.automate,
  verbs: {
    ...fromReadAutomate.verbs('list', 'get'),
    ...fromAutomate.verbs('create'),
    update: { load: async () => (await import('./features/automations/commands/update.ts')).update },
    ...fromAutomate.verbs('enable', 'disable', 'remove'),
    restore: { load: async () => (await import('./features/automations/commands/restore.ts')).restore },
    versions: {
      summary: 'Published versions of an automation',
      fallback: 'list',
      verbs: { ...fromVersions.verbs('list', 'get') },
    },
    runs: {
      summary: 'Runs of automations and their steps',
      fallback: 'list',
      verbs: {
        list: { ...list, load: async () => (await import('./features/automations/commands/runs/list.ts')).list },
        get: { ...get, load: async () => (await import('./features/automations/commands/runs/get.ts')).get },
        ...fromRuns.verbs('cancel'),
        retry: { load: async () => (await import('./features/automations/commands/runs/retry.ts')).retry },
        ...fromRuns.verbs('rerun'),
        save: { load: async () => (await import('./features/automations/commands/runs/save.ts')).save },
      },
    },
    ...fromAutomate.verbs('retry', 'templates'),
    apply: { load: async () => (await import('./features/automations/commands/apply.ts')).apply },
    ...fromAutomate.verbs('diff'),
    test: { load: async () => (await import('./features/automations/commands/test.ts')).test },
    lint: { load: async () => (await import('./features/automations/commands/lint.ts')).lint },
    pull: { load: async () => (await import('./features/automations/commands/pull.ts')).pull },
    push: { load: async () => (await import('./features/automations/commands/push.ts')).push },
  },
}

const fromBilling = commandsOf(() => import('./nouns/billing/commands.ts'))

/** Commands about costs. */
const billing: Noun = {
  summary: 'Balance, usage, subscriptions and forecast',
  verbs: { ...fromBilling.verbs('summary', 'usage') },
}

const fromJudge = commandsOf(() => import('./features/judge/judge-command.ts'))
const fromConversations = commandsOf(() => import('./nouns/conversations/commands.ts'))

/** Commands for conversations. */
const conversations: Noun = {
  summary: 'Read, start and continue conversations',
  aliases: nounAliases.conversations,
  verbs: {
    ...fromConversations.verbs('list', 'get', 'start', 'search'),
    export: { load: fromConversations.load('exportConversations') },
    ...fromConversations.verbs('send', 'toTest'),
    judge: { load: fromJudge.load('judgeConversations') },
    chat: { load: async () => (await import('./nouns/conversations/chat.ts')).chat },
    ...fromConversations.verbs('enableAi', 'disableAi'),
  },
}

const fromKnowledge = commandsOf(() => import('./nouns/knowledge/commands.ts'))
const fromDocuments = commandsOf(() => import('./nouns/knowledge/documents/commands.ts'))

/** Commands for knowledge bases and their documents. */
const knowledge: Noun = {
  summary: 'Knowledge bases and their documents',
  verbs: {
    ...fromKnowledge.verbs('list', 'get', 'create', 'update', 'remove', 'search'),
    documents: {
      summary: 'Documents of a knowledge base',
      aliases: nounAliases.documents,
      verbs: {
        ...fromDocuments.verbs('list', 'get', 'create', 'update', 'remove'),
      },
    },
  },
}

const refsVerb = (resourceKind: ResourceKind): Verb => ({
  aliases: nounAliases[resourceKind],
  load: async () => (await import('./nouns/refs/refs-command.ts')).refsCommand(resourceKind),
})

/** Dependencies between resources, with one verb for each kind of resource. */
export const refs: Noun = {
  summary: 'Show which resources depend on each other',
  aliases: ['references', 'ref'],
  verbs: {
    assistants: refsVerb('assistants'),
    tools: refsVerb('tools'),
    automate: refsVerb('automate'),
    numbers: refsVerb('numbers'),
    'sip-trunks': refsVerb('sipTrunks'),
    campaigns: refsVerb('campaigns'),
    senders: refsVerb('senders'),
    templates: refsVerb('templates'),
    knowledge: refsVerb('knowledge'),
    folders: refsVerb('folders'),
    labels: refsVerb('labels'),
    languages: refsVerb('languages'),
    voices: refsVerb('voices'),
    models: refsVerb('models'),
    synthesizers: refsVerb('synthesizers'),
    transcribers: refsVerb('transcribers'),
  },
}

const fromServer = commandsOf(() => import('./nouns/server/commands.ts'))
const fromServerData = commandsOf(() => import('./nouns/server/data.ts'))
const fromBackup = commandsOf(() => import('./nouns/server/backup.ts'))
const fromDatabase = commandsOf(() => import('./nouns/server/database.ts'))
const fromAccounts = commandsOf(() => import('./nouns/server/accounts.ts'))
const fromConnections = commandsOf(() => import('./nouns/server/connections.ts'))
const fromSheets = commandsOf(() => import('./nouns/server/sheets.ts'))
const fromClock = commandsOf(() => import('./nouns/server/clock.ts'))
const fromFaults = commandsOf(() => import('./nouns/server/faults.ts'))
const fromDeliveries = commandsOf(() => import('./nouns/server/deliveries.ts'))
const fromWebhooks = commandsOf(() => import('./nouns/server/webhooks.ts'))
const fromSimulate = commandsOf(() => import('./nouns/server/simulate.ts'))
const fromSnapshot = commandsOf(() => import('./nouns/server/snapshot.ts'))

/** Commands that run and control the local platform. */
export const server: Noun = {
  summary: 'Run and control the local platform',
  verbs: {
    start: { isLongRunning: true, load: fromServer.load('start') },
    ...fromServer.verbs('status', 'stop'),
    ...fromServerData.verbs('seed', 'reset', 'check'),
    ...fromBackup.verbs('backup', 'restore'),
    ...fromServerData.verbs('migrate'),
    database: {
      summary: 'How a PostgreSQL database stores its tables',
      verbs: { ...fromDatabase.verbs('distribute', 'status') },
    },
    accounts: {
      summary: 'Accounts of the local platform',
      aliases: ['account'],
      verbs: { ...fromAccounts.verbs('list', 'create', 'update', 'key', 'remove', 'ledger') },
    },
    connections: {
      summary: 'Connections that automations of the local platform use',
      aliases: ['connection'],
      verbs: {
        ...fromConnections.verbs('list', 'create', 'remove'),
        break: { load: fromConnections.load('breakConnection') },
      },
    },
    mail: {
      summary: 'Emails sent by automations of the local platform',
      verbs: { list: { ...list, load: async () => (await import('./nouns/server/mail.ts')).list } },
    },
    sheets: {
      summary: 'Spreadsheets that automations of the local platform use',
      aliases: ['sheet', 'spreadsheets'],
      verbs: { ...fromSheets.verbs('list', 'rows', 'create', 'addRow', 'updateRow', 'deleteRow') },
    },
    clock: {
      summary: 'Freeze and advance the clock of the local platform',
      verbs: {
        ...fromClock.verbs('get', 'freeze', 'advance', 'until', 'resume'),
      },
    },
    faults: {
      summary: 'Make requests to the local platform fail on purpose',
      aliases: ['fault'],
      verbs: {
        ...fromFaults.verbs('list', 'create', 'remove', 'clear'),
      },
    },
    deliveries: {
      summary: 'Webhook deliveries of the local platform',
      aliases: ['delivery'],
      verbs: {
        ...fromDeliveries.verbs('list', 'get', 'replay'),
      },
    },
    webhooks: {
      summary: 'Webhook signing secrets and webhook URLs',
      aliases: ['webhook'],
      verbs: { ...fromWebhooks.verbs('secret', 'sender', 'runs') },
    },
    simulate: {
      summary: 'Simulate customers, carriers and payment providers',
      verbs: {
        ...fromSimulate.verbs(
          'message',
          'receipt',
          'template',
          'sender',
          'call',
          'payment',
          'release',
          'failure',
          'end',
          'run',
        ),
      },
    },
    snapshot: {
      summary: 'Save, compare and restore the data of the local platform',
      aliases: ['snapshots'],
      verbs: {
        ...fromSnapshot.verbs('list'),
        save: {
          aliases: ['create', 'add', 'new'],
          load: fromSnapshot.load('save'),
        },
        compare: {
          aliases: ['diff'],
          load: fromSnapshot.load('compare'),
        },
        ...fromSnapshot.verbs('restore', 'remove'),
      },
    },
    ...fromServer.verbs('nodes', 'drain'),
    requests: { isLongRunning: true, load: fromServer.load('requests') },
    export: { load: fromServerData.load('exportData') },
    ...fromServerData.verbs('purge'),
  },
}

const fromKeys = commandsOf(() => import('./nouns/keys/commands.ts'))
const fromTools = commandsOf(() => import('./nouns/tools/commands.ts'))
const fromNumbers = commandsOf(() => import('./nouns/numbers/commands.ts'))
const fromMessaging = commandsOf(() => import('./nouns/messaging/commands.ts'))
const fromCalls = commandsOf(() => import('./nouns/calls/commands.ts'))
const fromCallExport = commandsOf(() => import('./nouns/calls/export.ts'))
const fromCampaigns = commandsOf(() => import('./nouns/campaigns/commands.ts'))
const fromLeads = commandsOf(() => import('./nouns/leads/commands.ts'))
const fromContacts = commandsOf(() => import('./nouns/contacts/commands.ts'))
const fromWaiting = commandsOf(() => import('./nouns/contacts/waiting.ts'))
const fromFolders = commandsOf(() => import('./nouns/folders/commands.ts'))
const fromLabels = commandsOf(() => import('./nouns/labels/commands.ts'))
const fromSipTrunks = commandsOf(() => import('./nouns/sip-trunks/commands.ts'))
const fromCatalogues = commandsOf(() => import('./nouns/catalogues/commands.ts'))
const fromProfile = commandsOf(() => import('./nouns/profile/commands.ts'))
const fromEvents = commandsOf(() => import('./nouns/events/commands.ts'))
const fromApprovals = commandsOf(() => import('./features/history-and-operations/approvals.ts'))
const fromOps = commandsOf(() => import('./features/history-and-operations/operations.ts'))
const fromHistory = commandsOf(() => import('./features/history-and-operations/commands.ts'))
const fromUi = commandsOf(() => import('./nouns/ui/commands.ts'))

/** All commands, each loaded on use. Help, completions and the reference are derived from this table. */
export const tree: Readonly<Record<string, Node>> = {
  keys: {
    summary: 'API keys of the account',
    aliases: nounAliases.keys,
    verbs: {
      ...fromKeys.verbs('list', 'get', 'create', 'remove'),
      rotate: { load: async () => (await import('./nouns/keys/rotate.ts')).rotate },
    },
  },
  tools: {
    summary: 'Tools that assistants call during a conversation',
    aliases: nounAliases.tools,
    verbs: {
      ...fromTools.verbs('list', 'get'),
      create: { ...create, load: async () => (await import('./nouns/tools/create.ts')).create },
      update: { load: async () => (await import('./nouns/tools/update.ts')).update },
      ...fromTools.verbs('test', 'remove'),
    },
  },
  numbers: {
    summary: 'Search, buy, rename and release phone numbers',
    aliases: nounAliases.numbers,
    verbs: {
      ...fromNumbers.verbs('search'),
      buy: { load: async () => (await import('./nouns/numbers/buy.ts')).buy },
      ...fromNumbers.verbs('list', 'get', 'update', 'release'),
    },
  },
  messaging: {
    summary: 'Senders, templates and messages of the messaging channel',
    aliases: ['message', 'messages'],
    verbs: {
      senders: {
        aliases: nounAliases.senders,
        load: fromMessaging.load('senders'),
      },
      templates: {
        aliases: nounAliases.templates,
        load: fromMessaging.load('templates'),
      },
      ...fromMessaging.verbs('getTemplate', 'assignments', 'assign', 'list', 'get'),
      send: { load: async () => (await import('./features/bulk/messaging/send.ts')).sendMessage },
      ...fromMessaging.verbs('session', 'sessions'),
    },
  },
  assistants,
  conversations,
  calls: {
    summary: 'Phone calls and their transcripts',
    aliases: nounAliases.calls,
    verbs: {
      ...fromCalls.verbs('list', 'get'),
      start: { isLongRunning: true, load: fromCalls.load('start') },
      follow: { isLongRunning: true, load: fromCalls.load('follow') },
      search: { load: fromCallExport.load('search') },
      export: { load: fromCallExport.load('exportCalls') },
      judge: { load: fromJudge.load('judgeCalls') },
      ...fromCalls.verbs('stop', 'toTest', 'remove'),
    },
  },
  sms: {
    summary: 'SMS from your phone numbers',
    verbs: { send: { load: async () => (await import('./features/bulk/sms/send.ts')).send } },
  },
  replies: {
    summary: 'Replies of assistants for other channels',
    aliases: ['reply'],
    verbs: { generate: { load: async () => (await import('./nouns/replies/generate.ts')).generate } },
  },
  campaigns: {
    summary: 'Call and message campaigns',
    aliases: nounAliases.campaigns,
    verbs: { ...fromCampaigns.verbs('list', 'get', 'create', 'update', 'start', 'stop', 'remove') },
  },
  leads: {
    summary: 'Campaign contacts',
    aliases: nounAliases.leads,
    verbs: {
      ...fromLeads.verbs('list', 'get', 'create'),
      import: { load: async () => (await import('./features/bulk/leads/import.ts')).importLeads },
      ...fromLeads.verbs('update', 'remove'),
    },
  },
  contacts: {
    summary: 'Contacts that have opted out of calls and messages',
    aliases: ['contact'],
    verbs: {
      ...fromContacts.verbs('list', 'block', 'unblock'),
      import: { load: async () => (await import('./features/bulk/contacts/import.ts')).importContacts },
      export: { load: fromContacts.load('exportContacts') },
      ...fromContacts.verbs('settings', 'updateSettings', 'hours', 'updateHours'),
      ...fromWaiting.verbs('waiting', 'sendWaiting', 'cancelWaiting'),
    },
  },
  automate,
  models: {
    summary: 'Language models that assistants can use',
    aliases: nounAliases.models,
    verbs: { list: { ...list, load: fromCatalogues.load('listModels') } },
  },
  synthesizers: {
    summary: 'Text-to-speech providers',
    aliases: nounAliases.synthesizers,
    verbs: { list: { ...list, load: fromCatalogues.load('listSynthesizers') } },
  },
  transcribers: {
    summary: 'Speech-to-text providers',
    aliases: nounAliases.transcribers,
    verbs: { list: { ...list, load: fromCatalogues.load('listTranscribers') } },
  },
  voices: {
    summary: 'Voices that assistants can use',
    aliases: nounAliases.voices,
    verbs: { list: { ...list, load: fromCatalogues.load('listVoices') } },
  },
  languages: {
    summary: 'Languages that assistants can speak',
    aliases: nounAliases.languages,
    verbs: { list: { ...list, load: fromCatalogues.load('listLanguages') } },
  },
  folders: {
    summary: 'Folders for assistants',
    aliases: nounAliases.folders,
    verbs: { ...fromFolders.verbs('list', 'create', 'update', 'remove') },
  },
  labels: {
    summary: 'Labels for assistants',
    aliases: nounAliases.labels,
    verbs: { ...fromLabels.verbs('list', 'create', 'update', 'remove') },
  },
  knowledge,
  'sip-trunks': {
    summary: 'Phone numbers and extensions of your SIP servers',
    aliases: nounAliases.sipTrunks,
    verbs: { ...fromSipTrunks.verbs('list', 'get', 'create', 'update', 'remove') },
  },
  profile: {
    summary: 'Platforms to connect to, and their API keys',
    aliases: ['profiles'],
    verbs: {
      list: { ...list, load: async () => (await import('./nouns/profile/read.ts')).list },
      ...fromProfile.verbs('get', 'use'),
      set: { load: async () => (await import('./nouns/profile/set.ts')).set },
      ...fromProfile.verbs('remove'),
    },
  },
  server,
  events: {
    summary: 'List, watch and trigger events of the local platform',
    aliases: ['event'],
    verbs: {
      list: { ...list, isLongRunning: true, load: fromEvents.load('list') },
      listen: { isLongRunning: true, load: fromEvents.load('listen') },
      ...fromEvents.verbs('fire'),
      replay: { load: async () => (await import('./nouns/events/replay.ts')).replay },
    },
  },
  ops: {
    summary: 'Journal of purchases, paid messages and automation updates',
    aliases: ['op'],
    verbs: {
      list: { ...list, load: async () => (await import('./features/history-and-operations/list-operations.ts')).list },
      ...fromOps.verbs('get', 'reconcile', 'close'),
      ...fromApprovals.verbs('approve', 'decline', 'run', 'wait'),
    },
  },
  billing,
  refs,
  history: {
    summary: 'Changes made by this CLI: compare and undo them',
    verbs: {
      ...fromHistory.verbs('list', 'get', 'diff'),
      undo: { load: async () => (await import('./features/history-and-operations/undo.ts')).undo },
    },
  },
  ui: { isLongRunning: true, load: fromUi.load('ui') },
  open: { isLongRunning: true, load: fromUi.load('open') },
  login: { load: async () => (await import('./nouns/login.ts')).login },
  audit: { load: async () => (await import('./features/audit/audit-command.ts')).audit },
  doctor: { load: async () => (await import('./features/doctor/doctor-command.ts')).doctor },
  whoami: { load: async () => (await import('./nouns/whoami.ts')).whoami },
  api: { load: async () => (await import('./nouns/api.ts')).api },
  schema: { load: async () => (await import('./reference/command-reference/schema.ts')).schema },
  commands: { load: async () => (await import('./reference/command-reference/commands.ts')).commands },
  mcp: { isLongRunning: true, load: async () => (await import('./features/mcp/mcp-command.ts')).mcp },
  skill: {
    summary: 'Instructions for coding agents',
    verbs: { install: { load: async () => (await import('./reference/agents/skill-command.ts')).install } },
  },
  stop: { load: async () => (await import('./features/stop/stop-command.ts')).stop },
  resume: { load: async () => (await import('./features/stop/resume-command.ts')).resume },
  ...asCode,
  demo: { load: async () => (await import('./reference/help/demo.ts')).demo },
  completion: { load: async () => (await import('./reference/completion/completion-command.ts')).completion },
  help: { load: async () => (await import('./reference/help/help-command.ts')).help },
}

registerCommands(tree, {
  loadSchemas: () => import('./reference/command-reference/printed-schema.ts'),
  loadHelp: () => import('./reference/help/command-help.ts'),
})
