import type { ResourceDescriptor } from '../../program/resources/resource-descriptor.ts'

export const models = {
  noun: 'models',
  singular: 'model',
  plural: 'models',
  showCommand: 'models list',
  list: 'models.list',
  parent: null,
  flags: ['--llm-model-id', '--multimodal-model-id', '--chat-llm-fallback-id'],
  listQueries: (field) =>
    field === 'multimodal_model_id' ? [{ type: 'multimodal' }, { type: 'dualplex' }] : [{ type: 'llm' }],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  catalogCode: 'code',
  loadFileKind: null,
  endpointChecks: {
    'models.list': {
      order: { by: 'id' },
      isShared: true,
      absentField: { field: 'code', parameter: 'type', value: 'llm' },
    },
  },
} as const satisfies ResourceDescriptor
