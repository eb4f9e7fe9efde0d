import type { ResourceDescriptor } from '../../program/resources/resource-descriptor.ts'

export const transcribers = {
  noun: 'transcribers',
  singular: 'transcriber',
  plural: 'transcribers',
  showCommand: 'transcribers list',
  list: 'transcribers.list',
  parent: null,
  flags: ['--transcriber-provider-id'],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  catalogCode: 'code',
  loadFileKind: null,
  endpointChecks: { 'transcribers.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies ResourceDescriptor
