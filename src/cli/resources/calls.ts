import type { ResourceDescriptor } from './resource-descriptor.ts'

export const calls = {
  noun: 'calls',
  singular: 'call',
  plural: 'calls',
  showCommand: 'calls get',
  list: 'calls.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'calls.delete': null },
  sharedWrites: {},
  loadHistory: null,
  loadTarget: null,
  loadFileKind: null,
  readChecks: { 'calls.list': { order: { by: 'created_at', newest: true } } },
} as const satisfies ResourceDescriptor
