import type { Noun } from '../tree.ts'
import { aliasesOf } from './verb-aliases.ts'

const { list, get, create, delete: remove } = aliasesOf

/** Commands that run and control the local platform. */
export const server: Noun = {
  summary: 'Run and control the local platform',
  verbs: {
    start: { isLongRunning: true, load: async () => (await import('../commands/server/start.ts')).start },
    status: { load: async () => (await import('../commands/server/status.ts')).status },
    stop: { load: async () => (await import('../commands/server/stop.ts')).stop },
    seed: { load: async () => (await import('../commands/server/seed.ts')).seed },
    reset: { load: async () => (await import('../commands/server/reset.ts')).reset },
    check: { load: async () => (await import('../commands/server/check.ts')).check },
    backup: { load: async () => (await import('../commands/server/backup.ts')).backup },
    restore: { load: async () => (await import('../commands/server/restore.ts')).restore },
    migrate: { load: async () => (await import('../commands/server/migrate.ts')).migrate },
    accounts: {
      summary: 'Accounts of the local platform',
      aliases: ['account'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/accounts/list.ts')).list },
        create: { ...create, load: async () => (await import('../commands/server/accounts/create.ts')).create },
        update: { load: async () => (await import('../commands/server/accounts/update.ts')).update },
        key: { load: async () => (await import('../commands/server/accounts/key.ts')).key },
        delete: { ...remove, load: async () => (await import('../commands/server/accounts/delete.ts')).remove },
        ledger: { load: async () => (await import('../commands/server/accounts/ledger.ts')).ledger },
      },
    },
    connections: {
      summary: 'Connections that automations of the local platform use',
      aliases: ['connection'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/connections/list.ts')).list },
        create: { ...create, load: async () => (await import('../commands/server/connections/add.ts')).add },
        delete: { ...remove, load: async () => (await import('../commands/server/connections/remove.ts')).remove },
        break: { load: async () => (await import('../commands/server/connections/break.ts')).breakConnection },
      },
    },
    mail: {
      summary: 'Emails sent by automations of the local platform',
      verbs: { list: { ...list, load: async () => (await import('../commands/server/mail/list.ts')).list } },
    },
    sheets: {
      summary: 'Spreadsheets that automations of the local platform use',
      aliases: ['sheet', 'spreadsheets'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/sheets/list.ts')).list },
        rows: { load: async () => (await import('../commands/server/sheets/rows.ts')).rows },
        create: { ...create, load: async () => (await import('../commands/server/sheets/create.ts')).create },
        'add-row': { load: async () => (await import('../commands/server/sheets/add-row.ts')).addRow },
        'update-row': { load: async () => (await import('../commands/server/sheets/update-row.ts')).updateRow },
        'delete-row': { load: async () => (await import('../commands/server/sheets/delete-row.ts')).deleteRow },
      },
    },
    clock: {
      summary: 'Freeze and advance the clock of the local platform',
      verbs: {
        get: { ...get, load: async () => (await import('../commands/server/clock/show.ts')).show },
        freeze: { load: async () => (await import('../commands/server/clock/freeze.ts')).freeze },
        advance: { load: async () => (await import('../commands/server/clock/advance.ts')).advance },
        until: { load: async () => (await import('../commands/server/clock/until.ts')).until },
        resume: { load: async () => (await import('../commands/server/clock/resume.ts')).resume },
      },
    },
    faults: {
      summary: 'Make requests to the local platform fail on purpose',
      aliases: ['fault'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/faults/list.ts')).list },
        create: { ...create, load: async () => (await import('../commands/server/faults/add.ts')).add },
        delete: { ...remove, load: async () => (await import('../commands/server/faults/remove.ts')).remove },
        clear: { load: async () => (await import('../commands/server/faults/clear.ts')).clear },
      },
    },
    deliveries: {
      summary: 'Webhook deliveries of the local platform',
      aliases: ['delivery'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/deliveries/list.ts')).list },
        get: { ...get, load: async () => (await import('../commands/server/deliveries/show.ts')).show },
        replay: { load: async () => (await import('../commands/server/deliveries/replay.ts')).replay },
      },
    },
    webhooks: {
      summary: 'Webhook signing secrets and webhook URLs',
      aliases: ['webhook'],
      verbs: {
        secret: { load: async () => (await import('../commands/server/webhooks/secret.ts')).secret },
        sender: { load: async () => (await import('../commands/server/webhooks/sender.ts')).sender },
        runs: { load: async () => (await import('../commands/server/webhooks/runs.ts')).runs },
      },
    },
    simulate: {
      summary: 'Simulate customers, carriers and payment providers',
      verbs: {
        message: { load: async () => (await import('../commands/server/simulate/message.ts')).message },
        receipt: { load: async () => (await import('../commands/server/simulate/receipt.ts')).receipt },
        template: { load: async () => (await import('../commands/server/simulate/template.ts')).template },
        sender: { load: async () => (await import('../commands/server/simulate/sender.ts')).sender },
        call: { load: async () => (await import('../commands/server/simulate/call.ts')).call },
        payment: { load: async () => (await import('../commands/server/simulate/payment.ts')).payment },
        release: { load: async () => (await import('../commands/server/simulate/release.ts')).release },
        failure: { load: async () => (await import('../commands/server/simulate/failure.ts')).failure },
        end: { load: async () => (await import('../commands/server/simulate/end.ts')).end },
        run: { load: async () => (await import('../commands/server/simulate/run.ts')).run },
      },
    },
    snapshot: {
      summary: 'Save, compare and restore the data of the local platform',
      aliases: ['snapshots'],
      verbs: {
        list: { ...list, load: async () => (await import('../commands/server/snapshot/list.ts')).list },
        save: {
          aliases: ['create', 'add', 'new'],
          load: async () => (await import('../commands/server/snapshot/save.ts')).save,
        },
        compare: {
          aliases: ['diff'],
          load: async () => (await import('../commands/server/snapshot/compare.ts')).compare,
        },
        restore: { load: async () => (await import('../commands/server/snapshot/restore.ts')).restore },
        delete: { ...remove, load: async () => (await import('../commands/server/snapshot/delete.ts')).remove },
      },
    },
    nodes: { load: async () => (await import('../commands/server/nodes.ts')).nodes },
    drain: { load: async () => (await import('../commands/server/drain.ts')).drain },
    requests: { isLongRunning: true, load: async () => (await import('../commands/server/requests.ts')).requests },
    export: { load: async () => (await import('../commands/server/export.ts')).exportData },
    purge: { load: async () => (await import('../commands/server/purge.ts')).purge },
  },
}
