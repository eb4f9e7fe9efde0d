import type { Resource } from '../../program/resources/resource.ts'

/** Message templates, as the command line knows them; `Resource` explains each part. Scripts read `noun` as JSON of `refs`, `audit` and `doctor`. */
export const templates = {
  noun: 'templates',
  singular: 'template',
  plural: 'templates',
  showCommand: 'messaging templates',
  list: 'messaging.templates',
  parent: { list: 'messaging.senders', flag: '--sender' },
  flags: ['--template', '--fallback-messaging-template-id'],
  argumentOf: [],
  writes: {},
  sharedWrites: {},
  naturalKey: null,
  loadHistory: null,
  loadTarget: null,
  loadTargetWithin: async () => (await import('./view.ts')).templateTarget,
  loadFiles: null,
  endpointChecks: {
    'messaging.templates': {
      query: { status: 'all' },
      parameters: { senderId: 'messaging.senders' },
      order: { by: 'id' },
    },
  },
} as const satisfies Resource
