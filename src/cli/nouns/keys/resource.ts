import type { Resource } from '../../program/resources/resource.ts'

/** API keys, as the command line knows them; `Resource` explains each part. Scripts read `noun` as JSON of `refs`, `audit` and `doctor`. */
export const keys = {
  noun: 'keys',
  singular: 'key',
  plural: 'keys',
  showCommand: 'keys list',
  list: 'keys.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'keys.create': null, 'keys.delete': null },
  sharedWrites: {},
  naturalKey: null,
  loadReaders: async () => [(await import('../../../contract/resources/keys.ts')).keys.list],
  loadHistory: null,
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: null,
  endpointChecks: {
    'keys.list': { order: { by: 'id' }, isShared: true },
    'keys.scopes': { order: { by: 'id' }, isShared: true },
  },
} as const satisfies Resource
