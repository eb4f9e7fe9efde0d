import type { Thing } from '../contract/references.ts'
import type { Noun, Verb } from './tree.ts'

const of = (thing: Thing, ...aliases: string[]): Verb => ({ aliases, load: async () => (await import('./commands/refs/refs.ts')).refsOf(thing) })

/** Dependencies between resources, with one verb for each kind of resource. */
export const refs: Noun = {
  summary: 'Show which resources depend on each other',
  aliases: ['references', 'ref'],
  verbs: {
    assistants: of('assistants', 'assistant'),
    tools: of('tools', 'tool'),
    automate: of('automate', 'automations', 'automation'),
    numbers: of('numbers', 'number'),
    'sip-trunks': of('sipTrunks', 'sip-trunk'),
    campaigns: of('campaigns', 'campaign'),
    senders: of('senders', 'sender'),
    templates: of('templates', 'template'),
    knowledge: of('knowledge'),
    folders: of('folders', 'folder'),
    labels: of('labels', 'label'),
    languages: of('languages', 'language'),
    voices: of('voices', 'voice'),
    models: of('models', 'model'),
    synthesizers: of('synthesizers', 'synthesizer'),
    transcribers: of('transcribers', 'transcriber'),
  },
}
