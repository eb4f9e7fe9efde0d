import type { ResourceDescriptor } from './resource-descriptor.ts'

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
  loadHistory: null,
  loadTarget: null,
  loadFileKind: null,
  readChecks: { 'conversations.list': { order: { by: 'created_at', newest: true } } },
} as const satisfies ResourceDescriptor
