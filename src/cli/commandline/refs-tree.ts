import type { ResourceKind } from '../../contract/references/resource-references.ts'
import { nounAliases } from '../resources/noun-aliases.ts'
import type { Noun, Verb } from '../tree.ts'

const refsVerb = (resourceKind: ResourceKind): Verb => ({
  aliases: nounAliases[resourceKind],
  load: async () => (await import('../commands/refs/refs-command.ts')).refsCommand(resourceKind),
})

/** Dependencies between resources, with one verb for each kind of resource. */
export const refs: Noun = {
  summary: 'Show which resources depend on each other',
  aliases: ['references', 'ref'],
  verbs: {
    assistants: refsVerb('assistants'),
    tools: refsVerb('tools'),
    automate: refsVerb('automate'),
    numbers: refsVerb('numbers'),
    'sip-trunks': refsVerb('sipTrunks'),
    campaigns: refsVerb('campaigns'),
    senders: refsVerb('senders'),
    templates: refsVerb('templates'),
    knowledge: refsVerb('knowledge'),
    folders: refsVerb('folders'),
    labels: refsVerb('labels'),
    languages: refsVerb('languages'),
    voices: refsVerb('voices'),
    models: refsVerb('models'),
    synthesizers: refsVerb('synthesizers'),
    transcribers: refsVerb('transcribers'),
  },
}
