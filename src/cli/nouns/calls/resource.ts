import type { Resource } from '../../program/resources/resource.ts'

/** Calls, as the command line knows them; `Resource` explains each part. Scripts read `noun` as JSON of `refs`, `audit` and `doctor`. */
export const calls = {
  noun: 'calls',
  singular: 'call',
  plural: 'calls',
  showCommand: 'calls get',
  list: 'calls.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'calls.stop': null, 'calls.delete': null },
  sharedWrites: {},
  naturalKey: null,
  loadReaders: async () => [(await import('../../../contract/resources/calls.ts')).calls.get],
  loadHistory: null,
  loadTarget: null,
  loadFiles: null,
  endpointChecks: {
    'calls.list': { order: { by: 'created_at', newest: true } },
    'calls.start': { ownedReference: 'assistant_id' },
  },
} as const satisfies Resource
