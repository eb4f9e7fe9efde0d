import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'
import { aliasesOf } from './verb-aliases.ts'

const fromReadAutomate = commandsOf(() => import('../commands/automate/read.ts'))
const fromAutomate = commandsOf(() => import('../commands/automate/commands.ts'))
const fromVersions = commandsOf(() => import('../commands/automate/versions/commands.ts'))
const fromRuns = commandsOf(() => import('../commands/automate/runs/commands.ts'))

const { list, get, create, delete: remove } = aliasesOf

/** Commands about automations. */
export const automate: Noun = {
  summary: 'Multi-step workflows with triggers, tests and versions',
  aliases: nounAliases.automate,
  verbs: {
    list: { ...list, load: fromReadAutomate('list') },
    get: { ...get, load: fromReadAutomate('get') },
    create: { ...create, load: fromAutomate('create') },
    update: { load: async () => (await import('../commands/automate/update.ts')).update },
    enable: { load: fromAutomate('enable') },
    disable: { load: fromAutomate('disable') },
    delete: { ...remove, load: fromAutomate('remove') },
    restore: { load: async () => (await import('../commands/automate/restore.ts')).restore },
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
        list: { ...list, load: async () => (await import('../commands/automate/runs/list.ts')).list },
        get: { ...get, load: async () => (await import('../commands/automate/runs/get.ts')).get },
        cancel: { load: fromRuns('cancel') },
        retry: { load: async () => (await import('../commands/automate/runs/retry.ts')).retry },
        rerun: { load: fromRuns('rerun') },
        save: { load: async () => (await import('../commands/automate/runs/save.ts')).save },
      },
    },
    retry: { load: fromAutomate('retry') },
    templates: { load: fromAutomate('templates') },
    apply: { load: async () => (await import('../commands/automate/apply.ts')).apply },
    diff: { load: fromAutomate('diff') },
    test: { load: async () => (await import('../commands/automate/test.ts')).test },
    lint: { load: async () => (await import('../commands/automate/lint.ts')).lint },
    pull: { load: async () => (await import('../commands/automate/pull.ts')).pull },
    push: { load: async () => (await import('../commands/automate/push.ts')).push },
  },
}
