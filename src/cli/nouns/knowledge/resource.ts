import type { Resource } from '../../program/resources/resource.ts'

/**
 * Knowledge bases, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never
 * changes.
 */
export const knowledge = {
  noun: 'knowledge',
  singular: 'knowledge base',
  plural: 'knowledge bases',
  showCommand: 'knowledge get',
  list: 'knowledge.list',
  parent: null,
  flags: ['--knowledge', '--knowledgebase-id'],
  argumentOf: ['knowledge search', 'knowledge documents list', 'knowledge documents create'],
  writes: { 'knowledge.create': null, 'knowledge.update': 'update', 'knowledge.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { knowledge: of } = await import('../../../contract/resources/knowledge.ts')
    return {
      readers: [of.get, of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      dependentsOf: 'knowledge',
      notRestored: 'Its documents are not restored. Add them again.',
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).knowledge,
  endpointChecks: { 'knowledge.search': { query: { query: 'hours' } } },
} as const satisfies Resource
