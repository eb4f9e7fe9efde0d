import { type ResourceKind, resourceLists } from '../../contract/resources/resource-references.ts'
import { target as assistant } from '../commands/assistants/view.ts'
import { target as automation } from '../commands/automate/view.ts'
import { target as campaign } from '../commands/campaigns/view.ts'
import { target as folder } from '../commands/folders/view.ts'
import { target as knowledgeBase } from '../commands/knowledge/view.ts'
import { target as label } from '../commands/labels/view.ts'
import { senderTarget } from '../commands/messaging/view.ts'
import { target as number } from '../commands/numbers/view.ts'
import { target as trunk } from '../commands/sip-trunks/view.ts'
import { target as tool } from '../commands/tools/view.ts'
import type { Target } from '../input/resolve-target.ts'
import { resourceNouns } from './resource-nouns.ts'

const targets: Partial<Record<ResourceKind, Target>> = {
  assistants: assistant,
  automate: automation,
  campaigns: campaign,
  folders: folder,
  knowledge: knowledgeBase,
  labels: label,
  numbers: number,
  senders: senderTarget,
  sipTrunks: trunk,
  tools: tool,
}

/** Returns how to find a resource of a kind: as its own commands do, or by name for resources of the platform. */
export const targetOfKind = (resourceKind: ResourceKind): Target =>
  targets[resourceKind] ?? {
    singular: resourceNouns[resourceKind].singular,
    list: resourceLists[resourceKind],
    listCommand: resourceNouns[resourceKind].showCommand,
    by: resourceKind === 'languages' ? ['name', 'iso_2'] : ['name', 'code'],
    label: (it) => `${it.name} (${it.id})`,
  }
