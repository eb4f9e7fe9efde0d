import type { Resource } from '../../program/resources/resource.ts'

/**
 * Phone numbers, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never
 * changes.
 */
export const numbers = {
  noun: 'numbers',
  singular: 'number',
  plural: 'numbers',
  showCommand: 'numbers list',
  list: 'numbers.list',
  parent: null,
  flags: ['--from', '--phone-number-id', '--phone-number-ids', '--fallback-sms-from-phone-number-id'],
  argumentOf: [],
  writes: { 'numbers.update': 'update', 'numbers.release': 'delete' },
  sharedWrites: {},
  naturalKey: null,
  loadHistory: async () => {
    const { numbers: of } = await import('../../../contract/resources/numbers.ts')
    return {
      readers: [of.list],
      update: of.update,
      notRestored:
        'A released number goes back to the provider. Buy it again, if it was not sold to others: parley numbers buy.',
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).numbers,
  endpointChecks: {
    'numbers.search': { isShared: true },
    'sms.send': { ownedReference: 'from' },
  },
} as const satisfies Resource
