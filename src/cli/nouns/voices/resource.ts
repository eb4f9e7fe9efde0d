import type { ResourceDescriptor } from '../../program/resources/resource-descriptor.ts'

export const voices = {
  noun: 'voices',
  singular: 'voice',
  plural: 'voices',
  showCommand: 'voices list',
  list: 'voices.list',
  parent: null,
  flags: ['--voice-id'],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  catalogCode: 'code',
  loadFileKind: null,
  endpointChecks: { 'voices.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies ResourceDescriptor
