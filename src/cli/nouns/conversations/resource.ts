import type { Resource } from '../../program/resources/resource.ts'

/** Conversations, as the command line knows them; `Resource` explains each part. Scripts read `noun` as JSON of `refs`, `audit` and `doctor`. */
export const conversations = {
  noun: 'conversations',
  singular: 'conversation',
  plural: 'conversations',
  showCommand: 'conversations get',
  list: 'conversations.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'conversations.create': null, 'conversations.enableAi': null, 'conversations.disableAi': null },
  sharedWrites: {},
  naturalKey: null,
  writtenFields: {
    'conversations.enableAi': () => ({ ai_enabled: true }),
    'conversations.disableAi': () => ({ ai_enabled: false }),
  },
  loadReaders: async () => [(await import('../../../contract/resources/conversations.ts')).conversations.list],
  loadHistory: null,
  loadTarget: null,
  loadFiles: null,
  endpointChecks: {
    'conversations.list': { order: { by: 'created_at', newest: true } },
    'conversations.create': { ownedReference: 'assistant_id' },
  },
} as const satisfies Resource
