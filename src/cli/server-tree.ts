import type { Noun } from './tree.ts'

const list = { aliases: ['ls'] }
const remove = { aliases: ['rm', 'remove'] }

/** Commands about the platform inside. */
export const server: Noun = {
  summary: 'The platform inside: serve it, seed it, turn its clock',
  verbs: {
    start: { lasting: true, load: async () => (await import('./commands/server/start.ts')).start },
    status: { load: async () => (await import('./commands/server/status.ts')).status },
    stop: { load: async () => (await import('./commands/server/stop.ts')).stop },
    seed: { load: async () => (await import('./commands/server/seed.ts')).seed },
    reset: { load: async () => (await import('./commands/server/reset.ts')).reset },
    check: { load: async () => (await import('./commands/server/check.ts')).check },
    accounts: {
      summary: 'Accounts of the platform inside',
      aliases: ['account'],
      verbs: {
        list: { ...list, load: async () => (await import('./commands/server/accounts/list.ts')).list },
        create: { load: async () => (await import('./commands/server/accounts/create.ts')).create },
        update: { load: async () => (await import('./commands/server/accounts/update.ts')).update },
        key: { load: async () => (await import('./commands/server/accounts/key.ts')).key },
        delete: { ...remove, load: async () => (await import('./commands/server/accounts/delete.ts')).remove },
        ledger: { load: async () => (await import('./commands/server/accounts/ledger.ts')).ledger },
      },
    },
    connections: {
      summary: 'Accounts elsewhere that automations of the platform inside use',
      aliases: ['connection'],
      verbs: {
        list: { ...list, load: async () => (await import('./commands/server/connections/list.ts')).list },
        add: { aliases: ['create'], load: async () => (await import('./commands/server/connections/add.ts')).add },
        remove: { aliases: ['rm', 'delete'], load: async () => (await import('./commands/server/connections/remove.ts')).remove },
        break: { load: async () => (await import('./commands/server/connections/break.ts')).breakConnection },
      },
    },
    mail: {
      summary: 'What automations of the platform inside sent by mail',
      verbs: { list: { ...list, load: async () => (await import('./commands/server/mail/list.ts')).list } },
    },
    clock: {
      summary: 'The clock everything on the platform inside follows',
      verbs: {
        show: { load: async () => (await import('./commands/server/clock/show.ts')).show },
        freeze: { load: async () => (await import('./commands/server/clock/freeze.ts')).freeze },
        advance: { load: async () => (await import('./commands/server/clock/advance.ts')).advance },
        until: { load: async () => (await import('./commands/server/clock/until.ts')).until },
        resume: { load: async () => (await import('./commands/server/clock/resume.ts')).resume },
      },
    },
    faults: {
      summary: 'Requests that fail on purpose on the platform inside',
      aliases: ['fault'],
      verbs: {
        list: { ...list, load: async () => (await import('./commands/server/faults/list.ts')).list },
        add: { aliases: ['create'], load: async () => (await import('./commands/server/faults/add.ts')).add },
        remove: { aliases: ['rm', 'delete'], load: async () => (await import('./commands/server/faults/remove.ts')).remove },
        clear: { load: async () => (await import('./commands/server/faults/clear.ts')).clear },
      },
    },
    deliveries: {
      summary: 'What the platform inside tells webhooks',
      aliases: ['delivery'],
      verbs: {
        list: { ...list, load: async () => (await import('./commands/server/deliveries/list.ts')).list },
        show: { aliases: ['get'], load: async () => (await import('./commands/server/deliveries/show.ts')).show },
        replay: { load: async () => (await import('./commands/server/deliveries/replay.ts')).replay },
      },
    },
    webhooks: {
      summary: 'How webhooks of the platform inside are signed, and where senders tell of messages',
      aliases: ['webhook'],
      verbs: {
        secret: { load: async () => (await import('./commands/server/webhooks/secret.ts')).secret },
        sender: { load: async () => (await import('./commands/server/webhooks/sender.ts')).sender },
        runs: { load: async () => (await import('./commands/server/webhooks/runs.ts')).runs },
      },
    },
    simulate: {
      summary: 'What others do to the platform inside: customers, the channel, carriers, banks',
      verbs: {
        message: { load: async () => (await import('./commands/server/simulate/message.ts')).message },
        receipt: { load: async () => (await import('./commands/server/simulate/receipt.ts')).receipt },
        template: { load: async () => (await import('./commands/server/simulate/template.ts')).template },
        sender: { load: async () => (await import('./commands/server/simulate/sender.ts')).sender },
        call: { load: async () => (await import('./commands/server/simulate/call.ts')).call },
        payment: { load: async () => (await import('./commands/server/simulate/payment.ts')).payment },
        release: { load: async () => (await import('./commands/server/simulate/release.ts')).release },
        failure: { load: async () => (await import('./commands/server/simulate/failure.ts')).failure },
        end: { load: async () => (await import('./commands/server/simulate/end.ts')).end },
        run: { load: async () => (await import('./commands/server/simulate/run.ts')).run },
      },
    },
    snapshot: {
      summary: 'Copies of all the platform inside holds, and the way back to one',
      aliases: ['snapshots'],
      verbs: {
        list: { ...list, load: async () => (await import('./commands/server/snapshot/list.ts')).list },
        save: { aliases: ['create'], load: async () => (await import('./commands/server/snapshot/save.ts')).save },
        restore: { load: async () => (await import('./commands/server/snapshot/restore.ts')).restore },
        delete: { ...remove, load: async () => (await import('./commands/server/snapshot/delete.ts')).remove },
      },
    },
    requests: { lasting: true, load: async () => (await import('./commands/server/requests.ts')).requests },
    purge: { load: async () => (await import('./commands/server/purge.ts')).purge },
  },
}
