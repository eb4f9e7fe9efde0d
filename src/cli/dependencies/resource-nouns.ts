import type { ResourceKind } from '../../contract/resources/resource-references.ts'

/** How the command line names a kind of resource. */
interface ResourceNoun {
  /** Noun of its commands: `parley refs <noun>`. */
  readonly noun: string
  /** Singular noun for sentences. */
  readonly singular: string
  /** The command that shows one resource, without its id. */
  readonly showCommand: string
}

const withListCommand = (noun: string, one: string): ResourceNoun => ({
  noun,
  singular: one,
  showCommand: `${noun} list`,
})
const withGetCommand = (noun: string, one: string): ResourceNoun => ({
  noun,
  singular: one,
  showCommand: `${noun} get`,
})

/** Names of every kind of resource that can be referenced. */
export const resourceNouns: Readonly<Record<ResourceKind, ResourceNoun>> = {
  assistants: withGetCommand('assistants', 'assistant'),
  automate: withGetCommand('automate', 'automation'),
  campaigns: withGetCommand('campaigns', 'campaign'),
  folders: withListCommand('folders', 'folder'),
  knowledge: withGetCommand('knowledge', 'knowledge base'),
  labels: withListCommand('labels', 'label'),
  languages: withListCommand('languages', 'language'),
  models: withListCommand('models', 'model'),
  numbers: withListCommand('numbers', 'number'),
  senders: { noun: 'senders', singular: 'sender', showCommand: 'messaging senders' },
  sipTrunks: withGetCommand('sip-trunks', 'SIP trunk'),
  synthesizers: withListCommand('synthesizers', 'synthesizer'),
  templates: { noun: 'templates', singular: 'template', showCommand: 'messaging templates' },
  tools: withGetCommand('tools', 'tool'),
  transcribers: withListCommand('transcribers', 'transcriber'),
  voices: withListCommand('voices', 'voice'),
}

/** Returns the kind of a resource as one word for machine output: `knowledge_base`. */
export const kindToken = (resourceKind: ResourceKind): string =>
  resourceNouns[resourceKind].singular.toLowerCase().replaceAll(' ', '_')

/** Returns the word after `parley refs`. */
export const nounOf = (resourceKind: ResourceKind): string => resourceNouns[resourceKind].noun
