import type { Tool } from '../../../contract/resources/tools.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import type { Resource } from '../../program/resources/resource.ts'

/** Tools, as the command line knows them; `Resource` explains each part. History entries on the disk have `noun`: it never changes. */
export const tools = {
  noun: 'tools',
  singular: 'tool',
  plural: 'tools',
  showCommand: 'tools get',
  list: 'tools.list',
  parent: null,
  flags: ['--add-tool', '--remove-tool', '--tool-ids'],
  argumentOf: [],
  writes: { 'tools.create': null, 'tools.update': 'update', 'tools.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { tools: of } = await import('../../../contract/resources/tools.ts')
    const { maskToolCredentials } = await import('../../program/secrets/tool-credentials.ts')
    return {
      readers: [of.get, of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      dependentsOf: 'tools',
      toShown: maskToolCredentials,
      fieldCommands: {
        // Unlike "--headers", "--header" does not change the other headers.
        headers: {
          flagsFor: (value) =>
            (value as Tool['headers'])
              .filter((it) => it.value.includes(redactedText))
              .map(({ name, value: text }) => ['--header', `${name}: ${text}`]),
        },
      },
    }
  },
  loadTarget: async () => (await import('./view.ts')).target,
  loadAudit: async () => (await import('./audit.ts')).audit,
  loadFiles: async () => (await import('./files.ts')).tools,
  endpointChecks: { 'tools.list': { order: { by: 'id' } } },
} as const satisfies Resource
