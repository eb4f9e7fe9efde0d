import type { ResourceDescriptor } from '../../program/resources/resource-descriptor.ts'

export const synthesizers = {
  noun: 'synthesizers',
  singular: 'synthesizer',
  plural: 'synthesizers',
  showCommand: 'synthesizers list',
  list: 'synthesizers.list',
  parent: null,
  flags: ['--synthesizer-provider-id'],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  catalogCode: 'code',
  loadFileKind: null,
  endpointChecks: { 'synthesizers.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies ResourceDescriptor
