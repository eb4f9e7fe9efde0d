import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'
import { aliasesOf } from './verb-aliases.ts'

const fromServer = commandsOf(() => import('../commands/server/commands.ts'))
const fromAccounts = commandsOf(() => import('../commands/server/accounts.ts'))
const fromConnections = commandsOf(() => import('../commands/server/connections.ts'))
const fromSheets = commandsOf(() => import('../commands/server/sheets.ts'))
const fromClock = commandsOf(() => import('../commands/server/clock.ts'))
const fromFaults = commandsOf(() => import('../commands/server/faults.ts'))
const fromDeliveries = commandsOf(() => import('../commands/server/deliveries.ts'))
const fromWebhooks = commandsOf(() => import('../commands/server/webhooks.ts'))
const fromSimulate = commandsOf(() => import('../commands/server/simulate.ts'))
const fromSnapshot = commandsOf(() => import('../commands/server/snapshot.ts'))

const { list, get, create, delete: remove } = aliasesOf

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
    restore: { load: async () => (await import('../commands/server/restore.ts')).restore },
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
      verbs: { list: { ...list, load: async () => (await import('../commands/server/mail.ts')).list } },
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
