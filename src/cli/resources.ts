import { automate } from './features/automations/resource.ts'
import { assistants } from './nouns/assistants/resource.ts'
import { calls } from './nouns/calls/resource.ts'
import { campaigns } from './nouns/campaigns/resource.ts'
import { languages, models, synthesizers, transcribers, voices } from './nouns/catalogues/resources.ts'
import { conversations } from './nouns/conversations/resource.ts'
import { folders } from './nouns/folders/resource.ts'
import { keys } from './nouns/keys/resource.ts'
import { documents } from './nouns/knowledge/documents/resource.ts'
import { knowledge } from './nouns/knowledge/resource.ts'
import { labels } from './nouns/labels/resource.ts'
import { leads } from './nouns/leads/resource.ts'
import { senders } from './nouns/messaging/senders.ts'
import { templates } from './nouns/messaging/templates.ts'
import { numbers } from './nouns/numbers/resource.ts'
import { sipTrunks } from './nouns/sip-trunks/resource.ts'
import { tools } from './nouns/tools/resource.ts'
import { registerResources } from './program/resources/registry.ts'
import type { Resource, ResourceName, WriteName } from './program/resources/resource.ts'

// Every noun registers its resource here, before a command is loaded.

const table = {
  assistants,
  automate,
  calls,
  campaigns,
  conversations,
  documents,
  folders,
  keys,
  knowledge,
  labels,
  languages,
  leads,
  models,
  numbers,
  senders,
  sipTrunks,
  synthesizers,
  templates,
  tools,
  transcribers,
  voices,
} as const satisfies Record<ResourceName, Resource>

type Table = typeof table
type Declared = { [Name in ResourceName]: keyof Table[Name]['writes'] }[ResourceName]
// A write that no descriptor declares is named by this type, and the file does not compile.
type Undeclared = Exclude<WriteName, Declared>
true satisfies [Undeclared] extends [never] ? true : ['Declare it in "writes" of its descriptor:', Undeclared]

registerResources(table)
