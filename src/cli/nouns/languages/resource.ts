import type { ResourceDescriptor } from '../../program/resources/resource-descriptor.ts'

export const languages = {
  noun: 'languages',
  singular: 'language',
  plural: 'languages',
  showCommand: 'languages list',
  list: 'languages.list',
  parent: null,
  flags: ['--language-id', '--secondary-language-ids'],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  catalogCode: 'iso_2',
  loadFileKind: null,
  endpointChecks: { 'languages.list': { order: { by: 'id' }, isShared: true } },
} as const satisfies ResourceDescriptor
