import type { ResourceDescriptor } from './resource-descriptor.ts'

export const sipTrunks = {
  noun: 'sip-trunks',
  singular: 'SIP trunk',
  plural: 'SIP trunks',
  showCommand: 'sip-trunks get',
  list: 'sipTrunks.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'sipTrunks.create': null, 'sipTrunks.update': 'update' },
  sharedWrites: { 'numbers.release': 'delete' },
  loadHistory: async () => {
    const { sipTrunks: of } = await import('../../contract/resources/sip-trunks.ts')
    const { numbers } = await import('../../contract/resources/numbers.ts')
    return {
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: numbers.release,
      dependentsOf: 'numbers',
      requiredSecrets: ['sip_password'],
      completeDraft(draft) {
        draft.sip_trunk_type = /^\+?\d{7,}$/.test(String(draft.phone_number)) ? 'number' : 'extension'
      },
    }
  },
  loadTarget: async () => (await import('../commands/sip-trunks/view.ts')).target,
  loadFileKind: null,
  endpointChecks: {},
} as const satisfies ResourceDescriptor
