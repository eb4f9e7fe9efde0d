import type { ResourceKind } from '../contract/references/resource-references.ts'
import type { Command } from './program/commandline/command.ts'
import { type Node, type Noun, registerCommands, type Verb } from './program/commandline/command-tree.ts'
import { aliasesOf } from './program/commandline/verb-aliases.ts'
import { nounAliases } from './program/resources/noun-aliases.ts'

/**
 * Returns a function that returns the loader of a command of a module. The module is loaded when one of its commands is
 * needed.
 */
const commandsOf =
  <Module>(load: () => Promise<Module>) =>
  <Name extends keyof Module>(name: Name): (() => Promise<Module[Name] & Command>) =>
  async () =>
    (await load())[name] as Module[Name] & Command

/** Commands that apply resources as files, or from one profile to another. */
const asCode: Readonly<Record<string, Verb>> = {
  pull: { load: async () => (await import('./features/as-code/pull.ts')).pull },
  diff: { load: async () => (await import('./features/as-code/diff.ts')).diff },
  push: { load: async () => (await import('./features/as-code/push.ts')).push },
  promote: { load: async () => (await import('./features/as-code/promotion/promote.ts')).promote },
}

const fromAssistants = commandsOf(() => import('./nouns/assistants/commands.ts'))

const { list, get, create, delete: remove } = aliasesOf

/** Commands of assistants. */
const assistants: Noun = {
  summary: 'Voice and chat assistants',
  aliases: nounAliases.assistants,
  verbs: {
    list: { ...list, load: fromAssistants('list') },
    get: { ...get, load: fromAssistants('get') },
    create: { ...create, load: async () => (await import('./nouns/assistants/create.ts')).create },
    update: { load: async () => (await import('./nouns/assistants/update.ts')).update },
    test: { load: async () => (await import('./features/scenario-tests/assistants/test-command.ts')).test },
    delete: { ...remove, load: fromAssistants('remove') },
    activate: { load: fromAssistants('activate') },
    deactivate: { load: fromAssistants('deactivate') },
    'enable-webhook': { load: fromAssistants('enableWebhook') },
    'disable-webhook': {
      load: fromAssistants('disableWebhook'),
    },
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
    list: { ...list, load: fromReadAutomate('list') },
    get: { ...get, load: fromReadAutomate('get') },
    create: { ...create, load: fromAutomate('create') },
    update: { load: async () => (await import('./features/automations/commands/update.ts')).update },
    enable: { load: fromAutomate('enable') },
    disable: { load: fromAutomate('disable') },
    delete: { ...remove, load: fromAutomate('remove') },
    restore: { load: async () => (await import('./features/automations/commands/restore.ts')).restore },
    versions: {
      summary: 'Published versions of an automation',
      fallback: 'list',
      verbs: {
        list: { ...list, load: fromVersions('list') },
        get: { ...get, load: fromVersions('get') },
      },
    },
    runs: {
      summary: 'Runs of automations and their steps',
      fallback: 'list',
      verbs: {
        list: { ...list, load: async () => (await import('./features/automations/commands/runs/list.ts')).list },
        get: { ...get, load: async () => (await import('./features/automations/commands/runs/get.ts')).get },
        cancel: { load: fromRuns('cancel') },
        retry: { load: async () => (await import('./features/automations/commands/runs/retry.ts')).retry },
        rerun: { load: fromRuns('rerun') },
        save: { load: async () => (await import('./features/automations/commands/runs/save.ts')).save },
      },
    },
    retry: { load: fromAutomate('retry') },
    templates: { load: fromAutomate('templates') },
    apply: { load: async () => (await import('./features/automations/commands/apply.ts')).apply },
    diff: { load: fromAutomate('diff') },
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
  verbs: {
    summary: { load: fromBilling('summary') },
    usage: { load: fromBilling('usage') },
  },
}

const fromConversations = commandsOf(() => import('./nouns/conversations/commands.ts'))

/** Commands for conversations. */
const conversations: Noun = {
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
    chat: { load: async () => (await import('./nouns/conversations/chat.ts')).chat },
    'enable-ai': { load: fromConversations('enableAi') },
    'disable-ai': { load: fromConversations('disableAi') },
  },
}

const fromKnowledge = commandsOf(() => import('./nouns/knowledge/commands.ts'))
const fromDocuments = commandsOf(() => import('./nouns/knowledge/documents/commands.ts'))

/** Commands for knowledge bases and their documents. */
const knowledge: Noun = {
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
    start: { isLongRunning: true, load: fromServer('start') },
    status: { load: fromServer('status') },
    stop: { load: fromServer('stop') },
    seed: { load: fromServer('seed') },
    reset: { load: fromServer('reset') },
    check: { load: fromServer('check') },
    backup: { load: fromServer('backup') },
    restore: { load: async () => (await import('./nouns/server/restore.ts')).restore },
    migrate: { load: fromServer('migrate') },
    accounts: {
      summary: 'Accounts of the local platform',
      aliases: ['account'],
      verbs: {
        list: { ...list, load: fromAccounts('list') },
        create: { ...create, load: fromAccounts('create') },
        update: { load: fromAccounts('update') },
        key: { load: fromAccounts('key') },
        delete: { ...remove, load: fromAccounts('remove') },
        ledger: { load: fromAccounts('ledger') },
      },
    },
    connections: {
      summary: 'Connections that automations of the local platform use',
      aliases: ['connection'],
      verbs: {
        list: { ...list, load: fromConnections('list') },
        create: { ...create, load: fromConnections('add') },
        delete: { ...remove, load: fromConnections('remove') },
        break: { load: fromConnections('breakConnection') },
      },
    },
    mail: {
      summary: 'Emails sent by automations of the local platform',
      verbs: { list: { ...list, load: async () => (await import('./nouns/server/mail.ts')).list } },
    },
    sheets: {
      summary: 'Spreadsheets that automations of the local platform use',
      aliases: ['sheet', 'spreadsheets'],
      verbs: {
        list: { ...list, load: fromSheets('list') },
        rows: { load: fromSheets('rows') },
        create: { ...create, load: fromSheets('create') },
        'add-row': { load: fromSheets('addRow') },
        'update-row': { load: fromSheets('updateRow') },
        'delete-row': { load: fromSheets('deleteRow') },
      },
    },
    clock: {
      summary: 'Freeze and advance the clock of the local platform',
      verbs: {
        get: { ...get, load: fromClock('show') },
        freeze: { load: fromClock('freeze') },
        advance: { load: fromClock('advance') },
        until: { load: fromClock('until') },
        resume: { load: fromClock('resume') },
      },
    },
    faults: {
      summary: 'Make requests to the local platform fail on purpose',
      aliases: ['fault'],
      verbs: {
        list: { ...list, load: fromFaults('list') },
        create: { ...create, load: fromFaults('add') },
        delete: { ...remove, load: fromFaults('remove') },
        clear: { load: fromFaults('clear') },
      },
    },
    deliveries: {
      summary: 'Webhook deliveries of the local platform',
      aliases: ['delivery'],
      verbs: {
        list: { ...list, load: fromDeliveries('list') },
        get: { ...get, load: fromDeliveries('show') },
        replay: { load: fromDeliveries('replay') },
      },
    },
    webhooks: {
      summary: 'Webhook signing secrets and webhook URLs',
      aliases: ['webhook'],
      verbs: {
        secret: { load: fromWebhooks('secret') },
        sender: { load: fromWebhooks('sender') },
        runs: { load: fromWebhooks('runs') },
      },
    },
    simulate: {
      summary: 'Simulate customers, carriers and payment providers',
      verbs: {
        message: { load: fromSimulate('message') },
        receipt: { load: fromSimulate('receipt') },
        template: { load: fromSimulate('template') },
        sender: { load: fromSimulate('sender') },
        call: { load: fromSimulate('call') },
        payment: { load: fromSimulate('payment') },
        release: { load: fromSimulate('release') },
        failure: { load: fromSimulate('failure') },
        end: { load: fromSimulate('end') },
        run: { load: fromSimulate('run') },
      },
    },
    snapshot: {
      summary: 'Save, compare and restore the data of the local platform',
      aliases: ['snapshots'],
      verbs: {
        list: { ...list, load: fromSnapshot('list') },
        save: {
          aliases: ['create', 'add', 'new'],
          load: fromSnapshot('save'),
        },
        compare: {
          aliases: ['diff'],
          load: fromSnapshot('compare'),
        },
        restore: { load: fromSnapshot('restore') },
        delete: { ...remove, load: fromSnapshot('remove') },
      },
    },
    nodes: { load: fromServer('nodes') },
    drain: { load: fromServer('drain') },
    requests: { isLongRunning: true, load: fromServer('requests') },
    export: { load: fromServer('exportData') },
    purge: { load: fromServer('purge') },
  },
}

const fromKeys = commandsOf(() => import('./nouns/keys/commands.ts'))
const fromTools = commandsOf(() => import('./nouns/tools/commands.ts'))
const fromNumbers = commandsOf(() => import('./nouns/numbers/commands.ts'))
const fromMessaging = commandsOf(() => import('./nouns/messaging/commands.ts'))
const fromCalls = commandsOf(() => import('./nouns/calls/commands.ts'))
const fromCampaigns = commandsOf(() => import('./nouns/campaigns/commands.ts'))
const fromLeads = commandsOf(() => import('./nouns/leads/commands.ts'))
const fromFolders = commandsOf(() => import('./nouns/folders/commands.ts'))
const fromLabels = commandsOf(() => import('./nouns/labels/commands.ts'))
const fromSipTrunks = commandsOf(() => import('./nouns/sip-trunks/commands.ts'))
const fromCatalogues = commandsOf(() => import('./nouns/catalogues/commands.ts'))
const fromProfile = commandsOf(() => import('./nouns/profile/commands.ts'))
const fromEvents = commandsOf(() => import('./nouns/events/commands.ts'))
const fromOps = commandsOf(() => import('./features/history-and-operations/operations.ts'))
const fromHistory = commandsOf(() => import('./features/history-and-operations/commands.ts'))
const fromUi = commandsOf(() => import('./nouns/ui/commands.ts'))

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
      create: { ...create, load: async () => (await import('./nouns/tools/create.ts')).create },
      update: { load: async () => (await import('./nouns/tools/update.ts')).update },
      test: { load: fromTools('test') },
      delete: { ...remove, load: fromTools('remove') },
    },
  },
  numbers: {
    summary: 'Search, buy, rename and release phone numbers',
    aliases: nounAliases.numbers,
    verbs: {
      search: { load: fromNumbers('search') },
      buy: { load: async () => (await import('./nouns/numbers/buy.ts')).buy },
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
      send: { load: async () => (await import('./features/bulk/messaging/send.ts')).sendMessage },
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
      import: { load: async () => (await import('./features/bulk/leads/import.ts')).importLeads },
      update: { load: fromLeads('update') },
      delete: { ...remove, load: fromLeads('remove') },
    },
  },
  automate,
  models: {
    summary: 'Language models that assistants can use',
    aliases: nounAliases.models,
    verbs: { list: { ...list, load: fromCatalogues('listModels') } },
  },
  synthesizers: {
    summary: 'Text-to-speech providers',
    aliases: nounAliases.synthesizers,
    verbs: { list: { ...list, load: fromCatalogues('listSynthesizers') } },
  },
  transcribers: {
    summary: 'Speech-to-text providers',
    aliases: nounAliases.transcribers,
    verbs: { list: { ...list, load: fromCatalogues('listTranscribers') } },
  },
  voices: {
    summary: 'Voices that assistants can use',
    aliases: nounAliases.voices,
    verbs: { list: { ...list, load: fromCatalogues('listVoices') } },
  },
  languages: {
    summary: 'Languages that assistants can speak',
    aliases: nounAliases.languages,
    verbs: { list: { ...list, load: fromCatalogues('listLanguages') } },
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
      list: { ...list, load: async () => (await import('./nouns/profile/read.ts')).list },
      get: { ...get, load: fromProfile('show') },
      use: { load: fromProfile('use') },
      set: { load: async () => (await import('./nouns/profile/set.ts')).set },
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
      replay: { load: async () => (await import('./nouns/events/replay.ts')).replay },
    },
  },
  ops: {
    summary: 'Journal of purchases, paid messages and automation updates',
    aliases: ['op'],
    verbs: {
      list: { ...list, load: async () => (await import('./features/history-and-operations/list-operations.ts')).list },
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
      undo: { load: async () => (await import('./features/history-and-operations/undo.ts')).undo },
    },
  },
  ui: { isLongRunning: true, load: fromUi('ui') },
  open: { isLongRunning: true, load: fromUi('open') },
  login: { load: async () => (await import('./nouns/login.ts')).login },
  doctor: { load: async () => (await import('./features/doctor/doctor-command.ts')).doctor },
  whoami: { load: async () => (await import('./nouns/whoami.ts')).whoami },
  api: { load: async () => (await import('./nouns/api.ts')).api },
  schema: { load: async () => (await import('./reference/command-reference/schema.ts')).schema },
  commands: { load: async () => (await import('./reference/command-reference/commands.ts')).commands },
  ...asCode,
  demo: { load: async () => (await import('./reference/help/demo.ts')).demo },
  completion: { load: async () => (await import('./reference/completion/completion-command.ts')).completion },
  help: { load: async () => (await import('./reference/help/help-command.ts')).help },
}

registerCommands(tree, {
  loadSchemas: () => import('./reference/command-reference/printed-schema.ts'),
  loadHelp: () => import('./reference/help/command-help.ts'),
})
