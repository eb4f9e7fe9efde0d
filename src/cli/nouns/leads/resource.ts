import type { Resource } from '../../program/resources/resource.ts'

/** Returns secondary contacts as a lead is created with them, without ids, times and status. */
const withoutStatus = (contacts: unknown): object[] =>
  ((contacts ?? []) as readonly Readonly<Record<string, unknown>>[]).map(({ phone_number, variables }) => ({
    phone_number,
    variables,
  }))

/** Leads, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const leads = {
  noun: 'leads',
  singular: 'lead',
  plural: 'leads',
  showCommand: 'leads list',
  list: 'leads.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'leads.create': null, 'leads.createBatch': null, 'leads.update': 'update', 'leads.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['campaign_id', 'phone_number'],
  // A lead that is queued again may be called at once, so its status proves nothing.
  writtenFields: {
    'leads.update': ({ id: _, status, ...fields }) => ({
      ...fields,
      ...(status !== undefined && status !== 'created' && { status }),
    }),
    'leads.create': ({ allow_dupplicate: _, ...fields }) => fields,
  },
  loadHistory: async () => {
    const { leads: of } = await import('../../../contract/resources/leads.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: 'It is queued as a new lead.',
      mergedFields: ['variables'],
      withoutPlatformValues: (it) => ({ ...it, secondary_contacts: withoutStatus(it.secondary_contacts) }),
    }
  },
  loadTarget: async () => (await import('./view.ts')).leadTarget(undefined),
  loadFiles: null,
  endpointChecks: {
    'leads.list': { order: { by: 'created_at', newest: true } },
    'leads.create': { ownedReference: 'campaign_id' },
    'leads.createBatch': { ownedReference: 'campaign_id' },
  },
} as const satisfies Resource
