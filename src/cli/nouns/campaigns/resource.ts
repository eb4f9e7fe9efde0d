import type { Resource } from '../../program/resources/resource.ts'

/** Campaigns, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const campaigns = {
  noun: 'campaigns',
  singular: 'campaign',
  plural: 'campaigns',
  showCommand: 'campaigns get',
  list: 'campaigns.list',
  parent: null,
  flags: ['--campaign', '--campaign-id'],
  argumentOf: [],
  writes: { 'campaigns.create': null, 'campaigns.update': 'update', 'campaigns.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { campaigns: of } = await import('../../../contract/resources/campaigns.ts')
    return {
      readers: [of.get, of.list],
      create: of.create,
      update: of.update,
      remove: of.delete,
      dependentsOf: 'campaigns',
      notRestored: 'Its leads are not restored, and it is a draft again.',
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).campaigns,
  // As isRunningCampaign of contract/values/states.ts, which is not loaded for every command.
  isActive: ({ status }: { readonly status?: unknown }) => status === 'in-progress' || status === 'scheduled',
  hasEnded: ({ status }: { readonly status?: unknown }) => status === 'completed',
  endpointChecks: {
    'campaigns.updateStatus': { ownedReference: 'campaign_id' },
  },
} as const satisfies Resource
