import type { Resource } from '../../program/resources/resource.ts'

/** Labels, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const labels = {
  noun: 'labels',
  singular: 'label',
  plural: 'labels',
  showCommand: 'labels list',
  list: 'labels.list',
  parent: null,
  flags: ['--label-ids'],
  argumentOf: [],
  writes: { 'labels.create': null, 'labels.update': 'update', 'labels.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { labels: of } = await import('../../../contract/resources/labels.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      dependentsOf: 'labels',
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('../folders/files.ts')).labels,
  isGrouping: true,
  endpointChecks: {},
} as const satisfies Resource
