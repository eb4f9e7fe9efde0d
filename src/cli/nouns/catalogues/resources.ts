import type { Resource } from '../../program/resources/resource.ts'

/**
 * What all catalogues have in common: they are only read, so they have no history and no files. Scripts read `noun` as JSON
 * of `refs`: it never changes.
 */
const catalogue = {
  parent: null,
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  loadFiles: null,
  catalogCode: 'code',
} as const

export const languages = {
  ...catalogue,
  noun: 'languages',
  singular: 'language',
  plural: 'languages',
  showCommand: 'languages list',
  list: 'languages.list',
  flags: ['--language-id', '--secondary-language-ids'],
  catalogCode: 'iso_2',
  endpointChecks: { 'languages.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies Resource

export const models = {
  ...catalogue,
  noun: 'models',
  singular: 'model',
  plural: 'models',
  showCommand: 'models list',
  list: 'models.list',
  flags: ['--llm-model-id', '--multimodal-model-id', '--chat-llm-fallback-id'],
  listQueries: (field) =>
    field === 'multimodal_model_id' ? [{ type: 'multimodal' }, { type: 'dualplex' }] : [{ type: 'llm' }],
  endpointChecks: {
    'models.list': {
      order: { by: 'id' },
      isShared: true,
      absentField: { field: 'code', parameter: 'type', value: 'llm' },
    },
  },
} as const satisfies Resource

export const synthesizers = {
  ...catalogue,
  noun: 'synthesizers',
  singular: 'synthesizer',
  plural: 'synthesizers',
  showCommand: 'synthesizers list',
  list: 'synthesizers.list',
  flags: ['--synthesizer-provider-id'],
  endpointChecks: { 'synthesizers.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies Resource

export const transcribers = {
  ...catalogue,
  noun: 'transcribers',
  singular: 'transcriber',
  plural: 'transcribers',
  showCommand: 'transcribers list',
  list: 'transcribers.list',
  flags: ['--transcriber-provider-id'],
  endpointChecks: { 'transcribers.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies Resource

export const voices = {
  ...catalogue,
  noun: 'voices',
  singular: 'voice',
  plural: 'voices',
  showCommand: 'voices list',
  list: 'voices.list',
  flags: ['--voice-id'],
  endpointChecks: { 'voices.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies Resource
