import type { Resource } from '../../program/resources/resource.ts'

/** Folders, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const folders = {
  noun: 'folders',
  singular: 'folder',
  plural: 'folders',
  showCommand: 'folders list',
  list: 'folders.list',
  parent: null,
  flags: ['--folder-id'],
  argumentOf: [],
  writes: { 'folders.create': null, 'folders.update': 'update', 'folders.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { folders: of } = await import('../../../contract/resources/folders.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      dependentsOf: 'folders',
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).folders,
  isGrouping: true,
  endpointChecks: {},
} as const satisfies Resource
