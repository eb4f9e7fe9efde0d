import type { Resource } from '../../program/resources/resource.ts'

/** Automations, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const automate = {
  noun: 'automate',
  singular: 'automation',
  plural: 'automations',
  showCommand: 'automate get',
  list: 'automate.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: {
    'automate.create': null,
    'automate.apply': null,
    'automate.update': 'update',
    'automate.delete': 'delete',
    'automate.restore': 'restore',
    'automate.restoreVersion': 'restore',
    'automate.cancelRun': null,
    'automate.rerun': null,
    'automate.retry': null,
  },
  sharedWrites: {},
  naturalKey: ['name'],
  writtenFields: {
    'automate.update': ({ name, enabled }) => ({
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { status: enabled === true ? 'enabled' : 'disabled' }),
    }),
  },
  loadHistory: async () => {
    const { automate: of } = await import('../../../contract/resources/automate.ts')
    return {
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: 'Its versions and runs are not restored, and the URL of its webhook is new.',
      computedFields: ['webhook_url', 'live_version'],
      definitionFields: ['status', 'definition', 'binding'],
      dependentsOf: 'automate',
      document: (await import('./automation-history.ts')).automationHistory,
    }
  },
  loadTarget: async () => (await import('./commands/view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).automations,
  isActive: ({ status }: { readonly status?: unknown }) => status === 'enabled',
  endpointChecks: {
    'automate.create': { dependentFields: ['bind_webhook', 'assistant_id', 'flow', 'sample'] },
    'automate.getRun': { parameters: { run_id: 'automate.listRuns' } },
    'automate.version': { query: { number: 1 } },
    'automate.runs': { order: { by: 'start_time', newest: true, isDocumented: true } },
    'automate.versions': { order: { by: 'number', newest: true } },
    'automate.templates': { isShared: true },
  },
} as const satisfies Resource
