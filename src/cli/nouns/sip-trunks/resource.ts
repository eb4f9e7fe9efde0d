import { trunkTypeOf } from '../../../contract/values/phone-number.ts'
import type { Resource } from '../../program/resources/resource.ts'

/** SIP trunks, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
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
  naturalKey: ['phone_number'],
  loadHistory: async () => {
    const { sipTrunks: of } = await import('../../../contract/resources/sip-trunks.ts')
    const { numbers } = await import('../../../contract/resources/numbers.ts')
    return {
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: numbers.release,
      dependentsOf: 'numbers',
      requiredSecrets: ['sip_password'],
      completeDraft(draft) {
        draft.sip_trunk_type = trunkTypeOf(draft.phone_number)
      },
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).sipTrunks,
  endpointChecks: {},
} as const satisfies Resource
