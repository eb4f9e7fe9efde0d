import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { aliasesOf } from './verb-aliases.ts'

const { list, get, create, delete: remove } = aliasesOf

/** Commands about automations. */
export const automate: Noun = {
  summary: 'Multi-step workflows with triggers, tests and versions',
  aliases: nounAliases.automate,
  verbs: {
    list: { ...list, load: async () => (await import('../commands/automate/list.ts')).list },
    get: { ...get, load: async () => (await import('../commands/automate/get.ts')).get },
    create: { ...create, load: async () => (await import('../commands/automate/create.ts')).create },
    update: { load: async () => (await import('../commands/automate/update.ts')).update },
    enable: { load: async () => (await import('../commands/automate/enable.ts')).enable },
    disable: { load: async () => (await import('../commands/automate/disable.ts')).disable },
    delete: { ...remove, load: async () => (await import('../commands/automate/delete.ts')).remove },
    restore: { load: async () => (await import('../commands/automate/restore.ts')).restore },
    versions: {
      summary: 'Published versions of an automation',
      fallback: 'list',
      verbs: {
        list: { ...list, load: async () => (await import('../commands/automate/versions/list.ts')).list },
        get: { ...get, load: async () => (await import('../commands/automate/versions/get.ts')).get },
      },
    },
    runs: {
      summary: 'Runs of automations and their steps',
      fallback: 'list',
      verbs: {
        list: { ...list, load: async () => (await import('../commands/automate/runs/list.ts')).list },
        get: { ...get, load: async () => (await import('../commands/automate/runs/get.ts')).get },
        cancel: { load: async () => (await import('../commands/automate/runs/cancel.ts')).cancel },
        retry: { load: async () => (await import('../commands/automate/runs/retry.ts')).retry },
        rerun: { load: async () => (await import('../commands/automate/runs/rerun.ts')).rerun },
        save: { load: async () => (await import('../commands/automate/runs/save.ts')).save },
      },
    },
    retry: { load: async () => (await import('../commands/automate/retry.ts')).retry },
    templates: { load: async () => (await import('../commands/automate/templates.ts')).templates },
    apply: { load: async () => (await import('../commands/automate/apply.ts')).apply },
    diff: { load: async () => (await import('../commands/automate/diff.ts')).diff },
    test: { load: async () => (await import('../commands/automate/test.ts')).test },
    lint: { load: async () => (await import('../commands/automate/lint.ts')).lint },
    pull: { load: async () => (await import('../commands/automate/pull.ts')).pull },
    push: { load: async () => (await import('../commands/automate/push.ts')).push },
  },
}
