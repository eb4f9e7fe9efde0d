import type { Resource } from '../../../program/resources/resource.ts'

/**
 * Documents of a knowledge base, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never
 * changes.
 */
export const documents = {
  noun: 'knowledge documents',
  singular: 'document',
  plural: 'documents',
  showCommand: 'knowledge documents get',
  list: 'knowledge.listDocuments',
  parent: { list: 'knowledge.list', flag: '--knowledge' },
  flags: [],
  argumentOf: ['knowledge documents get', 'knowledge documents update', 'knowledge documents delete'],
  writes: {
    'knowledge.createDocument': null,
    'knowledge.updateDocument': 'update',
    'knowledge.deleteDocument': 'delete',
  },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { knowledge: of } = await import('../../../../contract/resources/knowledge.ts')
    return {
      readers: [of.getDocument, of.listDocuments],
      update: of.updateDocument,
      remove: of.deleteDocument,
      pathParameters: ['id', 'docId'],
      notRestored:
        'The history does not save the content of documents. Add it again with "parley knowledge documents create".',
    }
  },
  loadTarget: null,
  loadFiles: null,
  endpointChecks: { 'knowledge.getDocument': { parameters: { docId: 'knowledge.listDocuments' } } },
} as const satisfies Resource
