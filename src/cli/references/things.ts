import type { Thing } from '../../contract/references.ts'

/** How the command line calls a kind of thing. */
interface Words {
  /** The noun of its commands: `parley refs <noun>`. */
  readonly noun: string
  /** One of them, in a sentence. */
  readonly one: string
  /** The command that shows one, its id left out. */
  readonly show: string
}

const listed = (noun: string, one: string): Words => ({ noun, one, show: `${noun} list` })
const shown = (noun: string, one: string): Words => ({ noun, one, show: `${noun} get` })

/** Every kind of thing that may be pointed to. */
export const things: Readonly<Record<Thing, Words>> = {
  assistants: shown('assistants', 'assistant'),
  automate: shown('automate', 'automation'),
  campaigns: shown('campaigns', 'campaign'),
  folders: listed('folders', 'folder'),
  knowledge: shown('knowledge', 'knowledge base'),
  labels: listed('labels', 'label'),
  languages: listed('languages', 'language'),
  models: listed('models', 'model'),
  numbers: listed('numbers', 'number'),
  senders: { noun: 'senders', one: 'sender', show: 'messaging senders' },
  sipTrunks: shown('sip-trunks', 'SIP trunk'),
  synthesizers: listed('synthesizers', 'synthesizer'),
  templates: { noun: 'templates', one: 'template', show: 'messaging templates' },
  tools: shown('tools', 'tool'),
  transcribers: listed('transcribers', 'transcriber'),
  voices: listed('voices', 'voice'),
}

/** The word after `parley refs`. */
export const wordOf = (thing: Thing): string => things[thing].noun
