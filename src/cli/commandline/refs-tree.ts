import type { ResourceKind } from '../../contract/resources/resource-references.ts'
import type { Noun, Verb } from '../tree.ts'

const refsVerb = (resourceKind: ResourceKind, ...aliases: string[]): Verb => ({
  aliases,
  load: async () => (await import('../commands/refs/refs-command.ts')).refsCommand(resourceKind),
})

/** Dependencies between resources, with one verb for each kind of resource. */
export const refs: Noun = {
  summary: 'Show which resources depend on each other',
  aliases: ['references', 'ref'],
  verbs: {
    assistants: refsVerb('assistants', 'assistant'),
    tools: refsVerb('tools', 'tool'),
    automate: refsVerb('automate', 'automations', 'automation'),
    numbers: refsVerb('numbers', 'number'),
    'sip-trunks': refsVerb('sipTrunks', 'sip-trunk'),
    campaigns: refsVerb('campaigns', 'campaign'),
    senders: refsVerb('senders', 'sender'),
    templates: refsVerb('templates', 'template'),
    knowledge: refsVerb('knowledge'),
    folders: refsVerb('folders', 'folder'),
    labels: refsVerb('labels', 'label'),
    languages: refsVerb('languages', 'language'),
    voices: refsVerb('voices', 'voice'),
    models: refsVerb('models', 'model'),
    synthesizers: refsVerb('synthesizers', 'synthesizer'),
    transcribers: refsVerb('transcribers', 'transcriber'),
  },
}
