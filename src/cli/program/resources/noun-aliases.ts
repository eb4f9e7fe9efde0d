import type { ResourceName } from './resource.ts'

/**
 * Other words for the noun of each resource, in its commands and after `parley refs`. Separate from the descriptors,
 * because they are loaded at every start. Scripts use them: they are added, not removed.
 */
export const nounAliases = {
  assistants: ['assistant'],
  automate: ['automations', 'automation'],
  calls: ['call'],
  campaigns: ['campaign'],
  conversations: ['conversation'],
  documents: ['document'],
  folders: ['folder'],
  keys: ['key'],
  knowledge: [],
  labels: ['label'],
  languages: ['language'],
  leads: ['lead'],
  models: ['model'],
  numbers: ['number'],
  senders: ['sender'],
  sipTrunks: ['sip-trunk'],
  synthesizers: ['synthesizer'],
  templates: ['template'],
  tools: ['tool'],
  transcribers: ['transcriber'],
  voices: ['voice'],
} as const satisfies Readonly<Record<ResourceName, readonly string[]>>
